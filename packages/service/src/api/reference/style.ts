/** The mark of our pages, as a path of 24 by 24. */
export const LOGO = 'M3 6h7l5 12h6M3 18h7l1.5-3.5M15 6h6';

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><title>Switchyard</title><rect width="24" height="24" rx="5" fill="#1f5fc4"/><path d="M4.5 7H10l4 10h5.5M4.5 17H10l1.2-3M15 7h4.5" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>`;

/** Values that the other pages have in `tokens.css`, under the same names. */
export const TOKENS: Readonly<Record<string, string>> = {
  ground: 'light-dark(#f4f5f8, #0e1013)',
  page: 'light-dark(#fff, #14161a)',
  soft: 'light-dark(#eef0f3, #22262c)',
  hair: 'light-dark(#dde0e6, #2a2f37)',
  line: 'light-dark(#8a8f98, #6c727c)',
  text: 'light-dark(#1c1e21, #e7e9ec)',
  quiet: 'light-dark(#5b6068, #a3a9b3)',
  accent: 'light-dark(#1f5fc4, #8ab4f8)',
  'on-accent': 'light-dark(#fff, #10131a)',
  'soft-accent': 'light-dark(#e3ecfb, #1b2a44)',
  good: 'light-dark(#0b6b3a, #7ddc9f)',
  warn: 'light-dark(#7a5200, #f3c46b)',
  'soft-good': 'light-dark(#e3f4ea, #16301f)',
  'soft-warn': 'light-dark(#fbf0d9, #33270f)',
  mono: 'ui-monospace, SFMono-Regular, Menlo, monospace',
  'radius-small': '0.375rem',
  radius: '0.625rem',
  focus: '2px solid var(--accent)',
  shadow: '0 0.5rem 1.5rem rgb(0 0 0 / 18%)',
};

const tokens = Object.entries(TOKENS).map(([name, value]) => `--${name}:${value};`);

export const STYLE = `:root{
color-scheme:light dark;
${tokens.join('')}
font:16px/1.5 system-ui,sans-serif;
scroll-padding-top:5rem;
}
:root[data-theme="light"]{color-scheme:light}
:root[data-theme="dark"]{color-scheme:dark}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--ground);color:var(--text)}
a{color:var(--accent)}
:focus-visible{outline:var(--focus);outline-offset:2px}
code,pre,textarea,input,.answer{font-family:var(--mono)}
code{font-size:.9em;overflow-wrap:anywhere}
small{font-size:.8125rem;color:var(--quiet)}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static;align-self:center}
[tabindex="-1"]:focus{outline:none}
header{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;align-items:center;gap:0 1rem;min-height:3.5rem;padding:0 1.25rem;background:var(--page);border-bottom:1px solid var(--hair)}
.brand{display:flex;align-items:center;gap:.5rem;color:var(--text);font-size:1.125rem;font-weight:700;text-decoration:none}
.logo{width:1.6rem;fill:none;stroke:var(--accent);stroke-width:2.4;stroke-linecap:round}
.place{padding-left:1rem;border-left:1px solid var(--hair);font-size:.875rem;font-weight:600;overflow-wrap:anywhere}
.menu{margin-left:auto}
.menu summary{display:none}
.menu ul{display:flex;flex-wrap:wrap;gap:.25rem;margin:0;padding:0;list-style:none}
.menu li a{display:block;padding:.25rem .75rem;border-radius:var(--radius-small);color:var(--text);font-size:.95rem;text-decoration:none}
.menu li a:hover{background:var(--soft)}
.menu li a[aria-current]{background:var(--soft-accent);color:var(--accent);font-weight:600}
.page{display:grid;grid-template-columns:minmax(0,1fr);max-width:100rem;margin:auto}
main{padding:1.5rem 1.25rem 4rem;min-width:0}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
h1+p{color:var(--quiet);margin:0 0 1rem;max-width:45rem}
main h2{font-size:1.25rem;margin:2.5rem 0 0;overflow-wrap:anywhere}
h3{font-size:1.0625rem;margin:0;overflow-wrap:anywhere}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
p{margin:.5rem 0}
.contents{padding:.5rem 1.25rem;font-size:.875rem;border-bottom:1px solid var(--hair)}
.contents summary{font-weight:600;padding:.5rem 0;cursor:pointer}
.contents h2{font-size:.875rem;margin:1rem 0 .25rem}
.contents h2 a{color:var(--text);text-decoration:none}
.contents ul{list-style:none;margin:0;padding:0}
.contents li a{display:flex;gap:.5rem;align-items:baseline;padding:.25rem .5rem;margin:0 -.5rem;border-radius:.375rem;color:var(--quiet);text-decoration:none}
.contents li a:hover{background:var(--soft);color:var(--text)}
.contents li span{min-width:0;overflow-wrap:anywhere;font-family:var(--mono);font-size:.8125rem}
.contents li b{flex:none;width:2.25rem}
b.get,b.post{font-size:.6875rem;letter-spacing:.02em}
b.get{color:var(--good)}
b.post{color:var(--warn)}
.address{display:flex;gap:.625rem;align-items:baseline;margin:.375rem 0}
.address b{flex:none;padding:.125rem .5rem;border-radius:var(--radius-small);font-size:.75rem}
.address .get{background:var(--soft-good)}
.address .post{background:var(--soft-warn)}
.tag{display:inline-block;padding:0 .5rem;border-radius:1rem;background:var(--soft);font-weight:400;vertical-align:middle}
h1 .tag{font-size:.875rem;line-height:1.75}
.type,.fact{margin-right:.375rem}
.fact code{color:var(--text)}
.type{color:var(--quiet)}
.note{padding:.6rem .9rem;border-left:4px solid var(--warn);border-radius:.25rem;background:var(--soft)}
article{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem 2rem;padding:1.75rem 0;border-bottom:1px solid var(--hair)}
table{width:100%;border-collapse:collapse;font-size:.875rem;margin:1rem 0}
th{color:var(--quiet);font-weight:600}
th,td{text-align:left;vertical-align:top;padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--hair);overflow-wrap:anywhere}
th:first-child,td:first-child{width:30%;min-width:7rem}
td p,li p{margin:.25rem 0 0;color:var(--quiet)}
.name{font-weight:600;font-size:inherit}
.members{list-style:none;margin:.5rem 0 0;padding:0;font-size:.875rem}
.members>li{padding:.5rem 0;border-top:1px solid var(--hair);overflow-wrap:anywhere}
.members .members{margin-left:.25rem;padding-left:1rem;border-left:2px solid var(--hair)}
details>summary{cursor:pointer}
.answers>summary,.try>summary,.schema>summary,.sample>summary{font-weight:600;font-size:.875rem;padding:.5rem 0}
.sample>summary{padding:.5rem .875rem}
.schema{border-bottom:1px solid var(--hair)}
.schema>summary{font-family:var(--mono)}
.sample{border:1px solid var(--hair);border-radius:var(--radius);background:var(--page);margin-bottom:.5rem}
.code{position:relative}
pre{margin:0;padding:.75rem .875rem;font-size:.8125rem;line-height:1.6;overflow-x:auto;scrollbar-width:thin;border-radius:0 0 var(--radius) var(--radius)}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.4rem 1rem;border:1px solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);cursor:pointer}
button.plain{font-weight:400;background:none;border-color:var(--line);color:var(--text)}
.code .plain{position:absolute;right:.375rem;top:-2.1rem;min-height:1.75rem;padding:0 .625rem;border-color:transparent;color:var(--accent);font-size:.8125rem}
.code .plain:hover{border-color:var(--line)}
.try{border:1px solid var(--hair);border-radius:var(--radius);background:var(--page);padding:.125rem .875rem}
form{padding-bottom:.5rem}
label{display:block;margin:.5rem 0 .25rem;font-size:.875rem;font-family:var(--mono)}
input,textarea{width:100%;font-size:1rem;padding:.4rem .75rem;min-height:2.75rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--page);color:inherit}
textarea{resize:vertical}
::placeholder{color:var(--quiet);opacity:1;font-family:system-ui,sans-serif}
form p{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-top:.75rem}
[role=status]{font-size:.875rem;color:var(--quiet);overflow-wrap:anywhere;min-width:0}
.answer{max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem -.875rem -.125rem;background:var(--soft);border-radius:0 0 var(--radius) var(--radius)}
footer{padding:1rem 1.25rem 2rem;color:var(--quiet);font-size:.875rem}
footer label{margin:0;font-family:inherit}
select{min-height:2rem;padding:0 .5rem;border:1px solid var(--line);border-radius:var(--radius-small);background:var(--page);color:var(--text);font:inherit;font-size:1rem}
@media (max-width:64rem){
.menu summary{display:block;padding:.375rem .75rem;border:1px solid var(--line);border-radius:var(--radius);color:var(--accent);font-weight:600;list-style:none;cursor:pointer}
.menu summary::-webkit-details-marker{display:none}
.menu{position:relative}
.menu ul{position:absolute;z-index:2;right:0;top:calc(100% + .5rem);display:grid;min-width:13rem;padding:.5rem;border:1px solid var(--hair);border-radius:var(--radius);background:var(--page);box-shadow:var(--shadow)}
.menu li a{padding:.5rem .75rem}
}
@media (min-width:64.01rem){
.page{grid-template-columns:17rem minmax(0,1fr)}
.contents{position:sticky;top:3.5rem;align-self:start;height:calc(100vh - 3.5rem);overflow-y:auto;scrollbar-width:thin;border-bottom:0;border-right:1px solid var(--hair)}
.contents summary{display:none}
main{padding:2rem 2.5rem 6rem}
}
@media (min-width:76rem){
article{grid-template-columns:minmax(0,1fr) minmax(0,26rem)}
}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
`;
