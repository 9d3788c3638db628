import type { Step } from './marker';
import { isPlainValue } from './sensitive-keys';

/** scheme://user:password@host, user may be empty. The password may hold `@`, which ends at the last one before a slash. */
const URL_PASSWORD =
  /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^\s/?#@:"'<>\\]{0,128}:)([^\s/"'<>\\]{1,256})@/g;
/** scheme://token@host: a lone user name is ordinary, a long one with digits is a token. */
const URL_TOKEN =
  /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/)(?=[^\s/@]{0,200}\d)([A-Za-z0-9_.~-]{20,200})@/g;
/** A signed address opens to whoever holds it. */
const SIGNATURES =
  /([?&;](?:sig|signature|x-(?:amz|goog)-(?:signature|security-token))=)([A-Za-z0-9%+/=_.-]{16,2048})/gi;
const SLACK_WEBHOOK = /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9/_-]{20,128})/g;
const DISCORD_WEBHOOK = /(discord(?:app)?\.com\/api\/webhooks\/\d{5,24}\/)([A-Za-z0-9_-]{20,128})/g;
const TEAMS_WEBHOOK = /(\.webhook\.office\.com\/webhookb2\/)([A-Za-z0-9@/_-]{20,256})/g;

const WEBHOOKS: readonly (readonly [string, RegExp])[] = [
  ['slack-webhook', SLACK_WEBHOOK],
  ['webhook', DISCORD_WEBHOOK],
  ['webhook', TEAMS_WEBHOOK],
];

export const redactUrlPasswords: Step = (text, mark) =>
  text.replace(URL_PASSWORD, (whole, head: string, secret: string) =>
    isPlainValue(secret) ? whole : `${head}${mark('password', secret)}@`,
  );

export const redactUrlTokens: Step = (text, mark) =>
  text.replace(URL_TOKEN, (_, head: string, secret: string) => `${head}${mark('token', secret)}@`);

export const redactSignatures: Step = (text, mark) =>
  text.replace(SIGNATURES, (_, head: string, secret: string) => `${head}${mark('signature', secret)}`);

export const redactWebhooks: Step = (text, mark) =>
  WEBHOOKS.reduce(
    (current, [secretClass, pattern]) =>
      current.replace(pattern, (_, head: string, secret: string) => `${head}${mark(secretClass, secret)}`),
    text,
  );
