"""Weights on 91 levels (-45..45), one scale per row, as the package stores them."""

import copy

import torch
from torch import nn

LEVELS = 45


def round_rows(weight, search=False):
    """The nearest stored matrix. With search, each row's scale is the best of a few."""
    largest = weight.abs().amax(1, keepdim=True).clamp_min(1e-12)
    best, error = None, None
    for share in [1.0, 0.95, 0.9, 0.85, 0.8] if search else [1.0]:
        scale = largest * share / LEVELS
        rounded = (weight / scale).round().clamp(-LEVELS, LEVELS) * scale
        loss = (rounded - weight).square().sum(1, keepdim=True)
        if best is None:
            best, error = rounded, loss
        else:
            best = torch.where(loss < error, rounded, best)
            error = torch.minimum(loss, error)
    return best


def matrices(encoder):
    """The parameters that are stored on levels: word and position rows, linear layers."""
    yield encoder.word.weight
    yield encoder.position.weight
    for module in encoder.modules():
        if isinstance(module, nn.Linear):
            yield module.weight


@torch.no_grad()
def quantise(encoder):
    """A copy of the encoder with all matrices rounded."""
    rounded = copy.deepcopy(encoder)
    for weight in matrices(rounded):
        weight.copy_(round_rows(weight, search=True))
    return rounded


class FakeQuantisation:
    """Straight-through rounding: forward and backward on rounded weights, updates on exact ones."""

    def __init__(self, encoder):
        self.encoder = encoder
        self.exact = None

    @torch.no_grad()
    def apply(self):
        self.exact = [weight.detach().clone() for weight in matrices(self.encoder)]
        for weight in matrices(self.encoder):
            weight.copy_(round_rows(weight))

    @torch.no_grad()
    def restore(self):
        for weight, exact in zip(matrices(self.encoder), self.exact):
            weight.copy_(exact)
