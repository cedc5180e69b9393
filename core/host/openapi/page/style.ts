/** The whole look of the page. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#0a58ca, #7ab8ff); }
* { box-sizing: border-box; }
body { margin: 0; display: flex; font: 15px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; flex: 0 0 19rem; padding: 1rem; font-size: 13px;
  border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav h2 { font-size: 13px; margin: 1rem 0 .2rem; border: 0; }
main { flex: 1; min-width: 0; max-width: 62rem; padding: 1rem 2rem 6rem; }
a { color: var(--accent); text-decoration: none; }
h1 small { font-weight: normal; opacity: .6; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .3rem; font: 600 16px/1.5 ui-monospace, monospace; }
h4 { margin: 1rem 0 .3rem; }
.facts { opacity: .75; font-size: 13px; }
pre, code { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; max-height: 26rem; }
pre.line { user-select: all; white-space: pre-wrap; word-break: break-all; border-left: 3px solid var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-top: 1px solid var(--line); font-weight: normal; }
th b, .post, .put, .patch, .delete { color: light-dark(#b02a37, #ff9aa2); }
.get { color: light-dark(#146c43, #75d6a5); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1rem; } }
`;
