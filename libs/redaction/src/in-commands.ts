import type { Step } from './marker';
import { KEY_WORD } from './key-words';
import { isPlainValue, looksSecret } from './sensitive-keys';

const VALUE = '([^\\s"\'`]{3,256})';
/** Commands whose short options take a secret. Between command and option at most this much of one line. */
const upTo = '[^\\r\\n]{0,160}?';

const BY_COMMAND: readonly RegExp[] = [
  new RegExp(`(\\bcurl\\b${upTo}\\s(?:-u|--user|--proxy-user)[ =]?["']?[^\\s:"']{1,64}:)${VALUE}`, 'g'),
  // `-p` and the password are one word; `-P` is the port.
  new RegExp(`(\\b(?:mysql|mysqldump|mysqladmin|mariadb)\\b${upTo}\\s-p)${VALUE}`, 'g'),
  new RegExp(`(\\bredis-cli\\b${upTo}\\s(?:-a|--pass)\\s{1,3})${VALUE}`, 'g'),
  new RegExp(`(\\bsshpass\\s{1,3}-p\\s{0,3})${VALUE}`, 'g'),
  new RegExp(
    `(\\b(?:docker|podman|helm registry|oc|az acr|nerdctl)\\s{1,3}login\\b${upTo}\\s-p\\s{1,3})${VALUE}`,
    'g',
  ),
  new RegExp(`(\\s-pass(?:in|out)?\\s{1,3}pass:)${VALUE}`, 'g'),
  new RegExp(
    `(\\bmachine\\s{1,3}\\S{1,128}\\s{1,3}login\\s{1,3}\\S{1,64}\\s{1,3}password\\s{1,3})${VALUE}`,
    'g',
  ),
  new RegExp(
    `(\\bhtpasswd\\s{1,3}-[A-Za-z]{0,6}b[A-Za-z]{0,6}\\s{1,3}\\S{1,128}\\s{1,3}\\S{1,64}\\s{1,3})${VALUE}`,
    'g',
  ),
  new RegExp(`(\\bopenssl\\s{1,3}enc\\b${upTo}\\s-k\\s{1,3})${VALUE}`, 'g'),
  new RegExp(`(\\bsmbclient\\b${upTo}\\s-U\\s{1,3}[^\\s%]{1,64}%)${VALUE}`, 'g'),
  new RegExp(`(\\bset\\s{1,3}aws_secret_access_key\\s{1,3})${VALUE}`, 'g'),
  new RegExp(`(\\bvault\\s{1,3}login\\s{1,3}(?:token=)?)(?!-)([A-Za-z0-9._-]{20,256})`, 'g'),
];

/** host:port:database:user:password, alone on its line. */
const PGPASS = /^([A-Za-z0-9.*_-]{1,128}:(?:\d{4,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:)(\S{3,128})$/gm;

const PHRASES =
  /(password\s{1,3}(?:for\s{1,3}\S{1,128}\s{1,3})?(?:=\s{1,3})?|identified by\s{1,3}|pwd\s{1,3})'([^'\r\n]{1,256})'/gi;
const FLAGS = new RegExp(
  `(?<![A-Za-z0-9-])(--?[A-Za-z-]{0,24}(?:${KEY_WORD})\\s{1,3})([^\\s"'-][^\\s"']{3,256})`,
  'gi',
);

export const redactCommands: Step = (text, mark) =>
  [...BY_COMMAND, PGPASS].reduce(
    (current, pattern) =>
      current.replace(pattern, (whole, head: string, secret: string) =>
        isPlainValue(secret) ? whole : `${head}${mark('password', secret)}`,
      ),
    text,
  );

export const redactPhrases: Step = (text, mark) =>
  text.replace(PHRASES, (whole, head: string, secret: string) =>
    isPlainValue(secret) ? whole : `${head}'${mark('password', secret)}'`,
  );

export const redactFlags: Step = (text, mark) =>
  text.replace(FLAGS, (whole, head: string, secret: string) =>
    isPlainValue(secret) || !looksSecret(secret) ? whole : `${head}${mark('secret', secret)}`,
  );
