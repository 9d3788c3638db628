/**
 * Text that others write must not become something that a click follows or a renderer fetches, wherever it is shown
 * later: quoted in a report, in a typed value, on the page of the evidence. So links lose their power at the border, as
 * security teams write them, `https[:]//host/path`: all of it can still be read, searched and quoted word for word.
 * Connection strings such as `postgres://db/shop` are no links: nothing follows them.
 */

const FOLLOWED =
  /(?<![A-Za-z0-9+.-])(https?|ftps?|sftp|wss?|file|blob|ipfs|ssh|tel|sms|mailto|javascript|vbscript|(?:vscode|slack|zoommtg|ms|itms|intent|market|steam|skype|callto|facetime)[a-z-]{0,24})(\s{0,2}:)(?=\/\/|[^\s/:,;)\]}"'=]{2})/gi;
/** Without a slash or a known payload behind it the colon of these is a colon: `file:line`, `ssh: connect failed`. */
const NEEDS_SLASHES =
  /^(?:https?|ftps?|sftp|wss?|file|ipfs|ssh|ms.*|slack.*|market.*|intent.*|steam.*|itms.*)$/i;
const DATA = /(?<![A-Za-z0-9+.-])data:(?=(?:text|image|application|audio|video|font)\/|;base64,)/gi;
const WWW = /(?<![A-Za-z0-9@.-])www\.(?=[A-Za-z0-9-]{1,63}\.)/gi;
/** An address that takes the page's own scheme: in a link, an image or a reference of Markdown, in an attribute of HTML. */
const SCHEMELESS =
  /((?:\]\(\s{0,3}<?|\]:\s{0,3}<?|(?:src|href|action|srcset)\s{0,3}=\s{0,3}["']?))\/\/(?=[A-Za-z0-9])/gi;
/** What a renderer would fetch or run without being asked. */
const EMBEDDED =
  /<(?=\/?(?:img|image|script|iframe|object|embed|link|svg|video|audio|form|meta|style|base|a)[\s/>])/gi;
const IMAGE = /!\[/g;

/** The same text, in which nothing is a link. Doing it twice changes nothing more. */
export const defangLinks = (text: string): string =>
  text
    .replace(FOLLOWED, (whole, scheme: string, colon: string, offset: number) => {
      const slashes = text.startsWith('//', offset + whole.length);
      return !slashes && NEEDS_SLASHES.test(scheme) ? whole : `${scheme}${colon.replace(':', '[:]')}`;
    })
    .replace(DATA, (scheme) => scheme.replace(':', '[:]'))
    .replace(WWW, (host) => host.replace('.', '[.]'))
    .replace(SCHEMELESS, '$1/[/]')
    .replace(EMBEDDED, '< ')
    .replace(IMAGE, '! [');
