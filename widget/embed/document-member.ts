/**
 * Reads a member of `document` from its prototype, methods bound. `document.name` itself can be an element instead (DOM
 * clobbering): one whose `name` or `id` is that of a member hides it, and user-supplied markup may contain one.
 */
export function documentMember<Name extends keyof Document>(name: Name): Document[Name] {
  const member = Reflect.get(Document.prototype, name, document) as Document[Name] & {
    bind?(self: Document): Document[Name];
  };
  return member?.bind?.(document) ?? member;
}
