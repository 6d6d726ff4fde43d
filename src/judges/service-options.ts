/** Options that every judge of a remote service takes: its address, a key, a model. */

import * as z from "zod";

const keyText = "a key of visible ASCII characters";
const modelName = "a model name of up to 120 letters, digits and `_.:/@+-`";
const urlText = "an http or https URL without user, password, query and fragment";

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "";
}

/** A key that fits into a header; with any other text, the error of the header would quote it. */
export const keyOption: z.ZodString = z.string(keyText).regex(/^[\x21-\x7e]+$/, keyText);

/** A model's name, which becomes part of the judge's id. */
export const modelOption: z.ZodString = z.string(modelName).regex(/^[\w.:/@+-]{1,120}$/, modelName);

/** The address of a service, to which paths are appended. */
export const baseURLOption: z.ZodString = z.string(urlText).refine(isPlainUrl, urlText);

/** Reads the first of these environment variables that holds a usable key. */
export function readKey(...names: readonly string[]): string | undefined {
  const environment = globalThis.process?.env ?? {};
  return names
    .map((name) => environment[name]?.trim())
    .find((key) => keyOption.safeParse(key).success);
}
