/** The shape of an encoder, and the order in which its numbers are stored. */

/** Sizes of a BERT-like encoder. */
export interface ModelShape {
  readonly layers: number;
  /** Width of a vector. */
  readonly hidden: number;
  readonly heads: number;
  /** Width between the two matrices of the feed-forward step. */
  readonly ffn: number;
  /** Positions there are: the most tokens of one text. */
  readonly maxTokens: number;
  readonly vocabularySize: number;
  readonly layerNormEps: number;
}

/** A matrix of whole numbers from -45 to 45, with one scale for each row. */
export interface MatrixSection {
  readonly name: string;
  readonly rows: number;
  readonly width: number;
  /** Index of its first unit in all units. */
  readonly units: number;
  /** Index of the scale of its first row in all numbers. */
  readonly scales: number;
}

/** Plain numbers: biases, and the gains of normalisation. */
export interface NumberSection {
  readonly name: string;
  readonly size: number;
  /** Index of the first in all numbers. */
  readonly numbers: number;
}

/** Output = matrix × input + bias. */
export interface LinearSection {
  readonly matrix: MatrixSection;
  readonly bias: NumberSection;
}

/** Output = normalised input × gain + bias. */
export interface NormSection {
  readonly gain: NumberSection;
  readonly bias: NumberSection;
}

/** The sections of one layer. */
export interface LayerSections {
  /** Queries, keys and values, one below the other. */
  readonly projection: LinearSection;
  readonly attentionOutput: LinearSection;
  readonly attentionNorm: NormSection;
  readonly feedForwardInput: LinearSection;
  readonly feedForwardOutput: LinearSection;
  readonly feedForwardNorm: NormSection;
}

/** Where every part of a model is stored. */
export interface ModelSections {
  readonly words: MatrixSection;
  /** Row by row, each with the embedding of the only segment in it. */
  readonly positions: NumberSection;
  readonly embeddingNorm: NormSection;
  readonly layers: readonly LayerSections[];
  /** Number of units in all matrices. */
  readonly unitCount: number;
  /** Number of scales, biases and gains. */
  readonly numberCount: number;
}

/**
 * The sections of a model of this shape; packing, loading and the forward pass share their order.
 */
export function listSections(shape: ModelShape): ModelSections {
  const { hidden, ffn, layers, maxTokens, vocabularySize } = shape;
  let unitCount = 0;
  let numberCount = 0;

  function numbers(name: string, size: number): NumberSection {
    const section = { name, size, numbers: numberCount };
    numberCount += size;
    return section;
  }
  function matrix(name: string, rows: number, width: number): MatrixSection {
    const section = { name, rows, width, units: unitCount, scales: numberCount };
    unitCount += rows * width;
    numberCount += rows;
    return section;
  }
  function linear(name: string, rows: number, width: number): LinearSection {
    return { matrix: matrix(name, rows, width), bias: numbers(`${name}.bias`, rows) };
  }
  function norm(name: string): NormSection {
    return { gain: numbers(`${name}.gain`, hidden), bias: numbers(`${name}.bias`, hidden) };
  }
  function layer(_: unknown, index: number): LayerSections {
    return {
      projection: linear(`${index}.projection`, 3 * hidden, hidden),
      attentionOutput: linear(`${index}.attentionOutput`, hidden, hidden),
      attentionNorm: norm(`${index}.attentionNorm`),
      feedForwardInput: linear(`${index}.feedForwardInput`, ffn, hidden),
      feedForwardOutput: linear(`${index}.feedForwardOutput`, hidden, ffn),
      feedForwardNorm: norm(`${index}.feedForwardNorm`),
    };
  }
  const words = matrix("words", vocabularySize, hidden);
  const positions = numbers("positions", maxTokens * hidden);
  const embeddingNorm = norm("embeddingNorm");
  const all = Array.from({ length: layers }, layer);
  return { words, positions, embeddingNorm, layers: all, unitCount, numberCount };
}
