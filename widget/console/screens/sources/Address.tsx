/** Only http and https addresses become links: what is stored may be anything. */
export const Address = ({ url }: { url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  ) : (
    <>{url}</>
  );
