import type { Step } from './marker';
import { isPlainValue } from './sensitive-keys';

const AUTHORISATION =
  /(?<![A-Za-z])((?:proxy-)?authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)((?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256)\s{1,3})?([^\s"'\\,;]{4,4096})/gi;
/** Of a signed request: the signature comes some members later. */
const SIGNED = /(?<![A-Za-z])(signature=)([0-9a-f]{32,128}|[A-Za-z0-9+/_-]{40,512}={0,2})/gi;
/** Outside a header the word Bearer is also prose: only what looks like a credential counts. */
const BEARER = /(?<![A-Za-z])(bearer\s{1,3})(?=[A-Za-z0-9._~+/=-]{0,400}\d)([A-Za-z0-9._~+/=-]{12,4096})/gi;
const COOKIES =
  /(?<![A-Za-z])((?:set-)?cookie\\?["']?:\s{0,3}\\?["']?)([^\s=;"'\\]{1,64}=[^"'\\\r\n]{1,4096})/gi;

export const redactAuthorisation: Step = (text, mark) =>
  text
    .replace(AUTHORISATION, (whole, head: string, scheme: string | undefined, secret: string) =>
      isPlainValue(secret) ? whole : `${head}${scheme ?? ''}${mark('authorization', secret)}`,
    )
    .replace(SIGNED, (_, head: string, secret: string) => `${head}${mark('signature', secret)}`);

export const redactBearers: Step = (text, mark) =>
  text.replace(BEARER, (_, head: string, secret: string) => `${head}${mark('token', secret)}`);

export const redactCookies: Step = (text, mark) =>
  text.replace(COOKIES, (_, head: string, secret: string) => `${head}${mark('cookie', secret)}`);
