/**
 * A member of the document, a function bound to it. Read as `document.name` it may be an element of the page instead: one whose
 * `name` or `id` is that of a member hides it, and markup that a page takes from strangers can have one.
 */
export function documentMember<Name extends keyof Document>(name: Name): Document[Name] {
  const member = Reflect.get(Document.prototype, name, document) as Document[Name] & {
    bind?(self: Document): Document[Name];
  };
  return member?.bind?.(document) ?? member;
}
