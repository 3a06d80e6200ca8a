/** The style of the page. The colours are those of the other pages. */
export const STYLE = `:root{
color-scheme:light dark;
--page:light-dark(#fff,#14161a);
--text:light-dark(#1c1e21,#e7e9ec);
--quiet:light-dark(#5b6068,#a3a9b3);
--line:light-dark(#8a8f98,#6c727c);
--soft:light-dark(#eef0f3,#22262c);
--accent:light-dark(#1f5fc4,#8ab4f8);
--on-accent:light-dark(#fff,#10131a);
--good:light-dark(#0b6b3a,#7ddc9f);
--warn:light-dark(#7a5200,#f3c46b);
--mono:ui-monospace,monospace;
font:16px/1.5 system-ui,sans-serif;
scroll-padding-top:4rem;
}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--page);color:var(--text)}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
code,pre,textarea,input,.answer{font-family:var(--mono)}
code{font-size:.9em;overflow-wrap:anywhere}
small{font-size:.8125rem;color:var(--quiet)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;z-index:2;background:var(--page);padding:.5rem}
header{position:sticky;top:0;z-index:1;display:flex;gap:1.5rem;padding:.75rem 1.25rem;background:var(--page);border-bottom:1px solid var(--soft)}
header a{text-decoration:none}
header a[aria-current]{color:var(--text);font-weight:600}
.page{display:grid;grid-template-columns:minmax(0,1fr);max-width:100rem;margin:auto}
main{padding:1.5rem 1.25rem 4rem;min-width:0}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
h1+p{color:var(--quiet);margin:0 0 1rem;max-width:45rem}
main h2{font-size:1.25rem;margin:2.5rem 0 0;overflow-wrap:anywhere}
h3{font-size:1.0625rem;margin:0;overflow-wrap:anywhere}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
p{margin:.5rem 0}
nav{padding:.5rem 1.25rem;font-size:.875rem;border-bottom:1px solid var(--soft)}
nav summary{font-weight:600;padding:.5rem 0;cursor:pointer}
nav h2{font-size:.875rem;margin:1rem 0 .25rem}
nav h2 a{color:var(--text);text-decoration:none}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:.5rem;align-items:baseline;padding:.25rem .5rem;margin:0 -.5rem;border-radius:.375rem;color:var(--quiet);text-decoration:none}
nav li a:hover,nav li a:focus{background:var(--soft);color:var(--text)}
nav li span{min-width:0;overflow-wrap:anywhere;font-family:var(--mono);font-size:.8125rem}
nav li b{flex:none;width:2.25rem}
b.get,b.post{font-size:.6875rem;letter-spacing:.02em}
b.get{color:var(--good)}
b.post{color:var(--warn)}
.address{display:flex;gap:.625rem;align-items:baseline;margin:.375rem 0}
.address b{flex:none;padding:.125rem .5rem;border-radius:.375rem;background:var(--soft);font-size:.75rem}
.tag{display:inline-block;padding:0 .5rem;border-radius:1rem;background:var(--soft);font-weight:400;vertical-align:middle}
h1 .tag{font-size:.875rem;line-height:1.75}
.type,.fact{margin-right:.375rem}
.fact code{color:var(--text)}
.type{color:var(--quiet)}
.note{padding:.6rem .9rem;border-left:4px solid var(--warn);border-radius:.25rem;background:var(--soft)}
article{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem 2rem;padding:1.75rem 0;border-bottom:1px solid var(--soft)}
table{width:100%;border-collapse:collapse;font-size:.875rem;margin:1rem 0}
th{color:var(--quiet);font-weight:600}
th,td{text-align:left;vertical-align:top;padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--soft);overflow-wrap:anywhere}
th:first-child,td:first-child{width:30%;min-width:7rem}
td p,li p{margin:.25rem 0 0;color:var(--quiet)}
.name{font-weight:600;font-size:inherit}
.members{list-style:none;margin:.5rem 0 0;padding:0;font-size:.875rem}
.members>li{padding:.5rem 0;border-top:1px solid var(--soft);overflow-wrap:anywhere}
.members .members{margin-left:.25rem;padding-left:1rem;border-left:2px solid var(--soft)}
details>summary{cursor:pointer}
.answers>summary,.try>summary,.schema>summary,.sample>summary{font-weight:600;font-size:.875rem;padding:.5rem 0}
.sample>summary{padding:.5rem .875rem}
.schema{border-bottom:1px solid var(--soft)}
.schema>summary{font-family:var(--mono)}
.sample{border-radius:.5rem;background:var(--soft);margin-bottom:.5rem}
.code{position:relative}
pre{margin:0;padding:.75rem .875rem;font-size:.8125rem;line-height:1.6;overflow-x:auto;scrollbar-width:thin;border-radius:0 0 .5rem .5rem}
button{font:inherit;font-weight:600;min-height:2.5rem;padding:.25rem 1rem;border:1px solid transparent;border-radius:.5rem;background:var(--accent);color:var(--on-accent);cursor:pointer}
button.plain{font-weight:400;background:none;border-color:var(--line);color:var(--text)}
.code .plain{position:absolute;right:.375rem;top:-2.1rem;min-height:1.75rem;padding:0 .625rem;border-color:transparent;color:var(--accent);font-size:.8125rem}
.code .plain:hover{border-color:var(--line)}
.try{border:1px solid var(--soft);border-radius:.5rem;padding:.125rem .875rem}
form{padding-bottom:.5rem}
label{display:block;margin:.5rem 0 .25rem;font-size:.875rem;font-family:var(--mono)}
input,textarea{width:100%;font-size:1rem;padding:.4rem .75rem;min-height:2.5rem;border:1px solid var(--line);border-radius:.5rem;background:var(--page);color:inherit}
textarea{resize:vertical}
::placeholder{color:var(--quiet);opacity:1;font-family:system-ui,sans-serif}
form p{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-top:.75rem}
[role=status]{font-size:.875rem;color:var(--quiet);overflow-wrap:anywhere;min-width:0}
.answer{max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem -.875rem -.125rem;background:var(--soft);border-radius:0 0 .5rem .5rem}
@media (min-width:64.01rem){
.page{grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:3.1rem;align-self:start;height:calc(100vh - 3.1rem);overflow-y:auto;scrollbar-width:thin;border-bottom:0;border-right:1px solid var(--soft)}
nav summary{display:none}
main{padding:2rem 2.5rem 6rem}
}
@media (min-width:76rem){
article{grid-template-columns:minmax(0,1fr) minmax(0,26rem)}
}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
`;
