//! How all reports look.

/// The colours are those of the program's own pages.
pub const PAGE: &str = "
:root { color-scheme: light dark; --bg: #f6f6f3; --panel: #fff; --ink: #1b1d1f; --soft: #55595e; --line: #d3d4cf; --good: #17624f; --bad: #b3201a; }
@media (prefers-color-scheme: dark) { :root { --bg: #131516; --panel: #1c1f21; --ink: #e9eaea; --soft: #a9afb4; --line: #383d40; --good: #6fcfb4; --bad: #ff8078; } }
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; color: var(--ink); background: var(--bg); }
h1 { font-size: 1.35rem; overflow-wrap: anywhere; margin: .5rem 0 1rem; } h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
section, article { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; margin: 0 0 1rem; min-width: 0; }
ul.plain { margin: 0; padding: 0; list-style: none; display: grid; gap: .35rem; }
.pair { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); align-items: start; }
table { border-collapse: collapse; width: 100%; } th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem .25rem 0; text-align: right; font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 400; font-size: .85rem; vertical-align: bottom; } th:first-child, td:first-child { text-align: left; }
figure { margin: 0; min-width: 0; } figcaption { font-size: .85rem; color: var(--soft); margin-top: .25rem; }
.bad { color: var(--bad); } .soft { color: var(--soft); } .good { color: var(--good); font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 0 1.5rem; margin: .6rem 0 0; }
dl div { display: flex; justify-content: space-between; gap: 1rem; border-bottom: 1px solid var(--line); padding: .2rem 0; }
dt { color: var(--soft); overflow-wrap: anywhere; } dd { margin: 0; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 30rem) { body { padding: .6rem; } section, article { padding: .7rem; } }
";
