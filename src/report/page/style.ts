/**
 * The style sheet of the page: readable from 320 px up, light and dark, in print, without any file
 * from elsewhere.
 */

export const style = `
:root {
  color-scheme: light dark;
  --ink: #1c2024; --quiet: #5a626b; --paper: #ffffff; --panel: #f4f5f7; --line: #d5d9de; --accent: #1f5fa8;
  --good: #1d6b3a; --good-paper: #e6f4ea; --bad: #9b1c1c; --bad-paper: #fbe9e9; --open: #6a4a00; --open-paper: #fdf3d8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8eb; --quiet: #a3abb5; --paper: #15181c; --panel: #1e2227; --line: #3a4048; --accent: #8bbcf5;
    --good: #86d8a3; --good-paper: #12291a; --bad: #f3a5a5; --bad-paper: #341616; --open: #ecc873; --open-paper: #2f260e;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main, header, footer { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1rem; font-weight: 600; color: var(--quiet); margin: 0 0 .75rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .25rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p { margin: .25rem 0 .75rem; max-width: 60rem; }
a { color: var(--accent); }
ul { margin: .25rem 0 .75rem; padding-left: 1.25rem; max-width: 60rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; }
.explanation, .unknown, footer { color: var(--quiet); }
.verdict { border-radius: .5rem; padding: 1rem 1.25rem; border: 1px solid currentColor; }
.verdict strong { display: block; font-size: 1.75rem; line-height: 1.2; margin-bottom: .5rem; }
.verdict h3, .verdict li, .verdict p { color: var(--ink); }
.ready { color: var(--good); background: var(--good-paper); }
.not-ready { color: var(--bad); background: var(--bad-paper); }
.no-evidence { color: var(--open); background: var(--open-paper); }
.label { font-weight: 600; white-space: nowrap; padding: 0 .4rem; border-radius: .25rem; }
dl.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .75rem; margin: 1rem 0; }
dl.figures div { background: var(--panel); border-radius: .5rem; padding: .6rem .8rem; }
dl.figures dt { color: var(--quiet); font-size: .875rem; }
dl.figures dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
dl.figures small { display: block; font-size: .8rem; color: var(--quiet); }
.scroll { overflow-x: auto; margin: .5rem 0 1rem; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .9rem; min-width: 30rem; }
caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
th:has(.name) { min-width: 16rem; }
thead th { font-weight: 600; white-space: nowrap; }
.right { text-align: right; font-variant-numeric: tabular-nums; }
.name { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; overflow-wrap: anywhere; }
.bar { display: inline-block; width: 8rem; height: .7em; background: var(--panel); border: 1px solid var(--line); }
.bar > span { display: block; height: 100%; background: var(--accent); }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--accent); }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
footer { padding-block: 2rem; font-size: .875rem; }
@media print { nav { display: none; } .scroll { overflow: visible; } }
`;
