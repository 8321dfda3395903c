/** The address of a site as it is typed, `shop.example` too. Throws where it is none. */
export function siteAddress(typed: string): URL {
  const whole = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  const address = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!address || !(address.hostname.includes('.') || address.port))
    throw new Error('Type the address of your site, such as https://shop.example');
  return address;
}
