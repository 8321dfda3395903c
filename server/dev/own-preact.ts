/**
 * What the panel of the script tag and the console change in the built files of preact, its signals and its router: in the panel no markup
 * and no script of the page breaks it, and neither has bytes that it never uses. By exact text: a new version that reads otherwise fails
 * the build. The npm component has its host's preact.
 */
type Edit = [from: string | RegExp, to: string];

/** Members of `document` are read by the prototype: an element of that name hides them (widget/embed/document-member.ts). */
const CLOBBERING: Edit[] = [
  [
    'if(M=a.ownerDocument||document,!C)return M.createTextNode(x);t=M.createElementNS(f,C,x.is?x:a),l&&(n.__m&&n.__m(r,o),l=!1),o=null}',
    'if(M=Document.prototype,!C)return M.createTextNode.call(document,x);t=M.createElementNS.call(document,f,C)}',
  ],
];

/** Enumerable members that the page gives to Object.prototype are no attributes, and no part of a property's descriptor. */
const POLLUTION: Edit[] = [
  [
    'function k(n,t,r){var u,i,f,o={},e=arguments.length;for(f in t)',
    'function k(n,t,r){var u,i,f,o={__proto__:null},e=arguments.length;for(f of Object.keys(t||[]))',
  ],
  ['p={},', 'p={__proto__:null},'],
];

/** No property of an element but these is one that its attribute could not stand for. */
const ELEMENTS: Edit[] = [
  [
    '"svg"==C?f="http://www.w3.org/2000/svg":"math"==C?f="http://www.w3.org/1998/Math/MathML":f||(f="http://www.w3.org/1999/xhtml"),',
    '"svg"==C&&(f="http://www.w3.org/2000/svg"),',
  ],
  [
    '"dangerouslySetInnerHTML"==s?y=k:"children"==s||s in x||"value"==s&&"defaultValue"in x||"checked"==s&&"defaultChecked"in x||',
    '"children"==s||s in x||',
  ],
  ['"dangerouslySetInnerHTML"==s?h=k:', ''],
  ['t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");', ';'],
  [
    '"width"!=t&&"height"!=t&&"href"!=t&&"list"!=t&&"form"!=t&&"tabIndex"!=t&&"download"!=t&&"rowSpan"!=t&&"colSpan"!=t&&"role"!=t&&"popover"!=t&&',
    '"class"!=t&&"href"!=t&&"tabIndex"!=t&&"role"!=t&&',
  ],
  ['"popover"==t&&1==r?"":r)', 'r)'],
  [
    'f=t!=(t=t.replace(l,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),r?n.addEventListener(t,o,f):n.removeEventListener(t,o,f)',
    't=t.slice(2).toLowerCase(),r?n.addEventListener(t,o):n.removeEventListener(t,o)',
  ],
  ['u(n.event?n.event(r):r)', 'u(r)'],
  [
    /for\(t&&!t\.parentNode&&\(t=S\(n\)\)&&.{0,260}return t\}/,
    'return t&&!t.parentNode&&(t=S(n))&&!t.parentNode&&(t=null),(o=n.__e)!=t&&r.insertBefore(o,t||null),o&&o.nextSibling}',
  ],
  ['"function"==typeof t?r?r.__x', 'r?r.__x'],
  [':t(null)):t.current=r}', ':t(null))}'],
  ['!(i=t.ref)||i.current&&i.current!=t.__e||G(i', '(i=t.ref)&&G(i'],
];

/** Nothing is hydrated, suspended or put elsewhere; no component has lifecycle methods; no styles are strings, and none goes away. */
const FEWER: Edit[] = [
  ['return!o&&n.vnode&&n.vnode(e),e}', 'return e}'],
  ['"function"!=typeof n.type||n.props.__P?', '"function"!=typeof n.type?'],
  ['n.vnode&&n.vnode(r),', ''],
  ['32&u.__u?[i]:null,f,i||S(u),32&u.__u,o)', 'null,f,i||S(u),0,o)'],
  ['n.__c&&!n.props.__P)', 'n.__c)'],
  [
    '(8&t.__g||(t.__g|=8,u.push(t),f++))&&i==n.debounceRendering||((i=n.debounceRendering)||queueMicrotask)(H)',
    '8&t.__g||(t.__g|=8,u.push(t),f++)||queueMicrotask(H)',
  ],
  ['&&(i||queueMicrotask)(H)', '&&queueMicrotask(H)'],
  ['if(n.props.__P)return t;', ''],
  [
    ',V.getDerivedStateFromProps&&(d.__s==d.state&&(d.__s=_({},d.__s)),_(d.__s,V.getDerivedStateFromProps(M,d.__s)))',
    '',
  ],
  [/M!==k&&C&&!V\..{0,99}Props\(M,L\),/, ''],
  [/M\.__P&&\(s=l,.{0,200}S\(u,0\):null\),/, ''],
  ['M.__P&&(r.__e=null,l=s),', ''],
  ['p&&p.some(g),', ''],
  ['if(e.length=v,r.__v=null,c||o)', 'if(e.length=v,r.__v=null,0)'],
  [/if\(t&&t\.then\)\{if\(r.{0,460}else(?= r\.__e=u\.__e;)/, ';else'],
  ['t&&t.then||D(r)', 'D(r)'],
  ['||l&&t.data==x', ''],
  ['||u&&!t.props.__P)', '||u)'],
  [/!u&&\(i=t\.__c\)&&\(i=i\.__z\).{0,70}g\(i\)\),/, ''],
  ['i?null:r.firstChild?d.call(r.childNodes):null,f,i?i.__e:r.firstChild,u,o)', 'null,f,i?i.__e:null,0,o)'],
  [/x\.prototype\.forceUpdate=.{0,80}L\(this\)\)\},/, ''],
  [/\(e=\(o=i\.constructor\).{0,150}e&&8&i\.__g/, 'i.componentDidCatch&&(i.componentDidCatch(n,u||{}),8&i.__g)'],
  ['"function"==typeof n&&(n=n(_({},r),this.props)),', ''],
  [
    'if("string"==typeof r)n.style.cssText=r;else{if("string"==typeof u&&(n.style.cssText=u=""),u)for(t in u)r&&t in r||T(n.style,t);if(r)for(t in r)u&&r[t]==u[t]||T(n.style,t,r[t])}',
    'for(t in r)n.style[t]=r[t]||"";',
  ],
  [/function T\(n,t,r\)\{.{0,200}?(?=function N)/, ''],
  ['"function"!=typeof r&&(r=null),"function"!=typeof u&&(u=null),', ''],
  ['if("function"==typeof r)return;', ''],
  [':l&&"function"!=typeof k||', ':'],
];

/** No component of the panel has a context, hooks or other methods than the widget's. */
const COMPONENTS: Edit[] = [
  ['function x(n,t){this.props=n,this.context=t,this.__g=0}', 'function x(n){this.props=n,this.__g=0}'],
  [/128&u\.__u&&\(c=32.{0,120}\(s=n\.__b\)&&s\(r\);/, ''],
  [/j=\(s=V\.contextType\).{0,40}:i,/, ''],
  ['new V(M,L)', 'new V(M)'],
  ['new x(M,L)', 'new x(M)'],
  ['j&&j.sub(d),', ''],
  ['shouldComponentUpdate(M,d.__s,L)', 'shouldComponentUpdate(M,d.__s)'],
  [/d\.componentWillUpdate&&.{0,260}d\.context=L,/, '}'],
  ['d.state=d.__s,d.context)', 'd.state=d.__s)'],
  [/d\.getChildContext&&.{0,160}s\.props\.children:s,/, 'A=s,'],
  ['return(s=n.diffed)&&s(r),l}', 'return l}'],
  ['n.__c&&n.__c(r,t),', ''],
  [/(?<="svg"==C&&\(f="[^"]+"\)),o\)for.{0,120}break\}(?=if\(!t\))/, ');'],
  [/if\(a="template"==C.{0,180}=k\.value;(?=for\(s in)/, ''],
  [
    /\("foreignObject"==C\|\|.*?"progress"!=C\|\|b\)\|\|N\(/,
    'I(t,w(_)?_:[_],r,u,i,f,o,e,u.__k&&S(u,0),l,c)),(s="value",null==b||b===t[s]||N(',
  ],
  [/n\.__&&n\.__\(t,r\),.{0,80}null:r\.__k,/, 'i=r.__k,'],
  [',q=C?25:0;do{d.__g&=-9,', ';{d.__g&=-9,'],
  ['while(8&d.__g&&++q<25);', ';'],
  [':"checked"==s?m=k', ''],
  [/,s="checked",null!=m.{0,50}(?=\)\}else)/, ''],
];

/** What the console has beside hooks, contexts and fields: neither markup as text nor MathML, templates or foreign content. */
const CONSOLE: Edit[] = [
  [/128&u\.__u&&\(c=32.{0,110}l=o\[0\]\|\|l\),/, ''],
  [/d\.componentWillUpdate&&.{0,270}(?=d\.context=L,)/, '}'],
  ['C&&u.__c&&d.getSnapshotBeforeUpdate&&(m=d.getSnapshotBeforeUpdate(k,b)),', ''],
  [/:"math"==C\?f=.{0,70}xhtml"\),o\)for.{0,120}break\}(?=if\(!t\))/, ':0);'],
  [',l&&(n.__m&&n.__m(r,o),l=!1),o=null', ''],
  [/if\(a="template"==C.{0,260}?\?y=k:/, 'for(s in $)k=$[s],'],
  ['"dangerouslySetInnerHTML"==s?h=k:', ''],
  [/h\?\(l\|\|y&&.*?"textarea"!=C\|\|(?=\(s="value")/, 'I(t,w(_)?_:[_],r,u,i,f,o,e,u.__k&&S(u,0),l,c),'],
  ['&&!t.data.startsWith("$s")', ''],
  [/9==r\.nodeType.{0,60}null:r\.__k,/, 'i=r.__k,'],
];

const SIGNALS_POLLUTION: Edit[] = [
  ['Object.defineProperty(y.prototype,"value",{', 'Object.defineProperty(y.prototype,"value",{__proto__:null,'],
  ['Object.defineProperty(j.prototype,"value",{', 'Object.defineProperty(j.prototype,"value",{__proto__:null,'],
];

/** What the widget never uses of signals, 400 bytes: names, brands, text and JSON, watchers, disposal, effects that return or go round. */
const UNUSED: Edit[] = [
  ['y.prototype.brand=t;', ''],
  [/y\.prototype\.valueOf=.*?(?=y\.prototype\.peek)/, ''],
  ['this.W=null==i?void 0:i.watched;this.Z=null==i?void 0:i.unwatched;this.name=null==i?void 0:i.name}', '}'],
  ['else f(()=>{var t;null==(t=this.W)||t.call(this)})', ''],
  ['if(void 0===n)f(()=>{var t;null==(t=this.Z)||t.call(this)})', ''],
  ['this.f=32;this.name=null==i?void 0:i.name;if(s)s.push(this)}', 'this.f=32}'],
  ['const i=o,n=s;o=void 0;s=void 0;try{return t()}finally{o=i;s=n}', 'const i=o;o=void 0;try{return t()}finally{o=i}'],
  [',{name:"sub"})', ')'],
  ['o[Symbol.dispose]=o;', ''],
  [/!function\(\)\{let t=h;.*?\}\(\);/, ''],
  [/!function\(t\)\{if\(0!==e.*?\}\(this\);/, ''],
  [/function p\(t\)\{const n=t\.j;.*?(?=function g)/, ''],
  ['t.s=void 0;p(t)}', 't.s=void 0}'],
  ['this.f&=-9;p(this);', 'this.f&=-9;'],
  ['const i=this.x();if("function"==typeof i)this.j=i}', 'this.x()}'],
  ['this.x=t;this.j=void 0;', 'this.x=t;'],
  ['m.prototype.dispose=function(){this.d()};', ''],
  ['if(1&this.f)throw new Error("Cycle detected");this.f|=1', 'this.f|=1'],
  ['get(){if(1&this.f)throw new Error("Cycle detected");', 'get(){'],
];

/** Nothing under the router suspends: the frame waits for the script of the screens (widget/console/Console.tsx). */
const ROUTER: Edit[] = [
  [/\tif \(!url\) \{[^]*?\n\t\}\n/, ''],
  [/\tconst isLoading = .*\n/, ''],
  [/\t\/\/ A not-yet-hydrated [^]*?didSuspend\.current = false;\n/, ''],
  [/\tconst isHydratingSuspense = .*\n\tconst isHydratingBool = .*\n/, ''],
  [/\tif \(isHydratingSuspense\) [^]*?__h = true;\n\t\}\n/, ''],
  [/\tthis\.__c = [^]*?\n\t\};\n/, ''],
  [/\t\tconst currentDom = [^]*?hasEverCommitted\.current = true;\n/, ''],
  [/\t\t\tif \(props\.onRouteChange\) .*\n/, ''],
  [/\t\tif \(props\.onLoadEnd [^]*?isLoading\.current = false;\n/, ''],
];

const SIGNALS = [...SIGNALS_POLLUTION, ...UNUSED];

const EDITS: Record<string, Record<string, Edit[]>> = {
  panel: {
    'preact.mjs': [...CLOBBERING, ...POLLUTION, ...ELEMENTS, ...FEWER, ...COMPONENTS],
    'signals-core.mjs': SIGNALS,
  },
  console: { 'preact.mjs': [...FEWER, ...CONSOLE], 'signals-core.mjs': SIGNALS, 'router.js': ROUTER },
};

/** The changed code of a file that a bundle has; of any other file as it is. Throws where an edit does not fit exactly once. */
export function editPreact(bundle: string, file: string, code: string): string {
  return (EDITS[bundle]?.[file.replace(/^.*\//, '')] ?? []).reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times ${String(from).slice(0, 80)}`);
    return parts.join(to);
  }, code);
}
