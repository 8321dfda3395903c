/**
 * What the panel of the script tag changes in the built files of preact and @preact/signals-core, by exact text: a new version that
 * reads otherwise fails the build. Left out is what the widget never uses: hydration, Suspense, portals, contexts, MathML, other
 * lifecycle methods. The npm component has its host's preact, whole.
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

const CONTEXTS: Edit[] = [
  ['j=(s=V.contextType)&&i[s.__c],L=s?j?j.props.value:s.__:i,', ''],
  ['(C?r.__c=d=new V(M,L):(r.__c=d=new x(M,L),', '(C?r.__c=d=new V(M):(r.__c=d=new x(M),'],
  ['j&&j.sub(d),', ''],
  ['d.__n=i,', ''],
  ['d.context=L,', ''],
  [',d.context)}while', ')}while'],
  [
    ',d.getChildContext&&(i=_({},i,d.getChildContext())),C&&u.__c&&d.getSnapshotBeforeUpdate&&(m=d.getSnapshotBeforeUpdate(k,b))',
    '',
  ],
  ['function x(n,t){this.props=n,this.context=t,', 'function x(n){this.props=n,'],
  ['function K(n,t,r){return this.constructor(n,r)}', 'function K(n){return this.constructor(n)}'],
];

const LIFECYCLE: Edit[] = [
  [
    ',V.getDerivedStateFromProps&&(d.__s==d.state&&(d.__s=_({},d.__s)),_(d.__s,V.getDerivedStateFromProps(M,d.__s)))',
    '',
  ],
  ['if(M!==k&&C&&!V.getDerivedStateFromProps&&d.componentWillReceiveProps&&d.componentWillReceiveProps(M,L),', 'if('],
  ['d.shouldComponentUpdate(M,d.__s,L)', 'd.shouldComponentUpdate(M,d.__s)'],
  [/d\.componentWillUpdate&&.{0,140}\(k,b,m\)\}\)\}else C&&!V\..{0,140}push\(d\.componentDidMount\);/, '}'],
  ['k=d.props,b=d.state,d.__v=r', 'd.__v=r'],
  ['for(var i,o,e;t=t.__;)', 'for(var i;t=t.__;)'],
  [
    'if((e=(o=i.constructor)&&o.getDerivedStateFromError)&&i.setState(o.getDerivedStateFromError(n)),i.componentDidCatch&&(i.componentDidCatch(n,u||{}),e=1),e&&8&i.__g)',
    'if(i.componentDidCatch&&(i.componentDidCatch(n),8&i.__g))',
  ],
  [',x.prototype.forceUpdate=function(n){this.__v&&(this.__g|=4,n&&this.__h.push(n),L(this))}', ''],
  ['"function"==typeof n&&(n=n(_({},r),this.props)),', ''],
];

const HYDRATION: Edit[] = [
  ['128&u.__u&&(c=32&u.__u,s=u.__c.__z)&&(r.__u|=c,p=o=[],8==s.nodeType?l=B(s,o):o.push(s),l=o[0]||l),', ''],
  ['r.__u&=-161,p&&p.some(g),', ''],
  [
    /if\(e\.length=v,r\.__v=null,c\|\|o\).{0,440}else r\.__e=u\.__e;r\.__k\|\|\(r\.__k=u\.__k\|\|\[\]\),t&&t\.then\|\|D\(r\),/,
    'e.length=v,r.__v=null,r.__e=u.__e,r.__k||(r.__k=u.__k||[]),D(r),',
  ],
  [/function B\(n,t\)\{.*?\}\}(?=function D)/, ''],
  ['!u&&(i=t.__c)&&(i=i.__z)&&(f=B(i,o=[]))&&(i==t.__e&&o.some(g),g(f),g(i)),', ''],
  [/o\)for\(s=0;s<o\.length;s\+\+\)if\(.{0,80}break\}if\(!t\)/, '1);if(!t)'],
  [/if\(a="template"==C&&.{0,200}value;for\(s in \$\)k/, 'for(s in $)k'],
  ['l&&"function"!=typeof k||$[s]===k||', '$[s]===k||'],
  ['||l&&t.data==x', ''],
  [
    'l&&"textarea"!=C||(s="value","progress"==C&&null==b?t.removeAttribute(s):null==b||b===t[s]&&("progress"!=C||b)||N(t,s,b,$[s],f),s="checked",null!=m&&m!=t[s]&&N(t,s,m,$[s],f))',
    'null==b||b===t.value||N(t,"value",b),null==m||m==t.checked||N(t,"checked",m)',
  ],
  ['function z(t,r,u,i,f,o,e,l,c,a)', 'function z(t,r,u,f,e,l,a)'],
  ['z(e,r,u,t.__n,e.namespaceURI,32&u.__u?[i]:null,f,i||S(u),32&u.__u,o)', 'z(e,r,u,e.namespaceURI,f,i||S(u),o)'],
  ['z(n,v,h,i,f,o,e,l,c,a)', 'z(n,v,h,f,e,l,a)'],
  ['function I(n,t,r,u,i,f,o,e,l,c,a)', 'function I(n,t,r,u,f,e,l,a)'],
  ['I(t,w(A)?A:[A],r,u,i,f,o,e,l,c,a)', 'I(t,w(A)?A:[A],r,u,f,e,l,a)'],
  ['F(u.__e,r,u,i,f,o,e,c,a,t)', 'F(u.__e,r,u,f,e,a)'],
  ['function F(t,r,u,i,f,o,e,l,c,a)', 'function F(t,r,u,f,e,c)'],
  [
    /h\?\(l\|\|y&&.{0,120}r\.__k=\[\]\):\(y&&.{0,180}1999\/xhtml"\),I\(a,w\(_\)\?_:\[_\],r,u,i,f,o,e,o\?o\[0\]:u\.__k&&S\(u,0\),l,c\),o&&o\.some\(g\)\),/,
    'I(t,w(_)?_:[_],r,u,f,e,u.__k&&S(u,0),c),',
  ],
  [
    /function Q\(t,r\)\{.*?(?=r\.__k\.props\.children=null)/,
    'function Q(t,r){var i=r.__k,f=[],o=[];r.__k=m($,{children:[t]}),z(r,r.__k,i||p,r.namespaceURI,f,i&&i.__e,o),E(f,r.__k,o),',
  ],
];

const PORTALS: Edit[] = [
  [/M\.__P&&\(s=l,f=.{0,160}S\(u,0\):null\),/, ''],
  ['M.__P&&(r.__e=null,l=s),', ''],
  ['||n.props.__P?null', '?null'],
  ['n.__c&&!n.props.__P)', 'n.__c)'],
  ['if(n.props.__P)return t;', ''],
  ['||u&&!t.props.__P)', '||u)'],
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

/** Of Preact's hooks two are used (widget/embed/signals.ts). */
const HOOKS: Edit[] = [
  ['(s=n.__b)&&s(r);n:if', 'n:if'],
  ['n.__c&&n.__c(r,t),', ''],
  ['return(s=n.diffed)&&s(r),l}', 'return l}'],
  ['return!o&&n.vnode&&n.vnode(e),e}', 'return e}'],
  ['n.vnode&&n.vnode(r),', ''],
  [
    '(8&t.__g||(t.__g|=8,u.push(t),f++))&&i==n.debounceRendering||((i=n.debounceRendering)||queueMicrotask)(H)',
    '8&t.__g||(t.__g|=8,u.push(t),f++)||queueMicrotask(H)',
  ],
  ['(f=u.length)&&(i||queueMicrotask)(H)', '(f=u.length)&&queueMicrotask(H)'],
];

const SIGNALS: Edit[] = [
  ['Object.defineProperty(y.prototype,"value",{', 'Object.defineProperty(y.prototype,"value",{__proto__:null,'],
  ['Object.defineProperty(j.prototype,"value",{', 'Object.defineProperty(j.prototype,"value",{__proto__:null,'],
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
];

const EDITS: Record<string, Edit[]> = {
  'preact.mjs': [CLOBBERING, POLLUTION, CONTEXTS, LIFECYCLE, HYDRATION, PORTALS, ELEMENTS, HOOKS].flat(),
  'signals-core.mjs': SIGNALS,
};

/** The changed code of a file of either package; of any other file as it is. Throws where an edit does not fit exactly once. */
export function editPreact(file: string, code: string): string {
  return (EDITS[file.replace(/^.*\//, '')] ?? []).reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times ${String(from).slice(0, 80)}`);
    return parts.join(to);
  }, code);
}
