/** A member of `document` by its prototype: an element of that name on the page would hide it (embed/document-member.ts). */
export const readDocument = <Name extends keyof Document>(name: Name): Document[Name] =>
  Reflect.get(Document.prototype, name, document) as Document[Name];
