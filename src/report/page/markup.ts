/**
 * Markup that escapes by default: a template tag, and what no escaping can show (control
 * characters) made visible.
 */

/** Text that is markup already. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value of a template; `null`, `undefined` and `false` render as nothing. */
export type Content = string | number | Markup | readonly Content[] | null | undefined | false;

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Escapes a text for elements and quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? character);
}

function render(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (content === null || content === undefined || content === false) return "";
  if (typeof content === "string") return escapeText(content);
  if (typeof content === "number") return String(content);
  return content.map(render).join("");
}

/** Markup with every value escaped, unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.map((part, index) => part + render(values[index])).join(""));
}

/**
 * A name from outside (a tool, a thread, a model) as text of its own direction; control and other
 * invisible characters are shown by their code point, so that a name cannot look like another or
 * hide.
 */
export function name(text: string): Markup {
  const visible = text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) =>
      `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}}`,
  );
  return html`<bdi class="name">${visible}</bdi>`;
}
