import type { Step } from './marker';

/**
 * Tokens that are recognised by their own form. Every pattern starts where a run of its characters starts
 * (look-behind) and has bounded repetition, so that a hostile text costs time in proportion to its length.
 */
type SecretFormat = { readonly secretClass: string; readonly source: string };

const format = (secretClass: string, source: string): SecretFormat => ({ secretClass, source });
const hash = (source: string): SecretFormat => format('password-hash', source);

const HEX32 = '[0-9a-f]{32}';

const SECRET_FORMATS: readonly SecretFormat[] = [
  // The third part may be missing: a token that claims to need no signature is one all the same.
  format('jwt', 'eyJ[A-Za-z0-9_-]{5,4096}\\.[A-Za-z0-9_-]{5,8192}(?:\\.[A-Za-z0-9_-]{0,4096}){1,3}'),
  format('aws-key', '(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}'),
  format('github-token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}'),
  format('gitlab-token', 'gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|soat|oas)-[A-Za-z0-9_-]{20,255}'),
  format('slack-token', 'xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{10,255}'),
  format('stripe-key', '(?:sk|rk|whsec)_(?:live|test)?_?[A-Za-z0-9]{16,255}'),
  format('google-key', 'AIza[A-Za-z0-9_-]{35}|ya29\\.[A-Za-z0-9_-]{20,1024}|GOCSPX-[A-Za-z0-9_-]{20,64}'),
  format('api-key', 'sk-[A-Za-z0-9_-]{20,255}|(?:gsk|r8|xai|pplx|fw|csk)[_-][A-Za-z0-9]{24,255}'),
  format('npm-token', 'npm_[A-Za-z0-9]{36}'),
  format('pypi-token', 'pypi-[A-Za-z0-9_-]{40,512}'),
  format('sendgrid-key', 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  format('huggingface-token', '(?:hf|api_org)_[A-Za-z0-9]{30,64}'),
  format('digitalocean-token', 'do[opr]_v1_[0-9a-f]{64}'),
  format('docker-token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,255}'),
  format('vault-token', 'hv[sbr]\\.[A-Za-z0-9_-]{20,512}'),
  format('nkey-seed', 'S[UAOCNX][A-Z2-7]{56}'),
  format('age-key', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'),
  format('twilio-key', `(?:SK|AC)${HEX32}`),
  format('shopify-token', `shp(?:at|ca|pa|ss)_${HEX32}`),
  format('grafana-token', 'gl(?:sa|c)_[A-Za-z0-9+/=_-]{20,400}'),
  format('newrelic-key', 'NR(?:AK|II|JS|RA|AL)-[A-Za-z0-9]{20,64}'),
  format('databricks-token', `dapi${HEX32}(?:-\\d)?`),
  format('telegram-token', '\\d{8,10}:AA[A-Za-z0-9_-]{32,34}'),
  format('linear-key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'),
  format('sentry-token', 'sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{30,400}'),
  format('atlassian-token', 'AT(?:ATT3x|CTT3x|BBT3x|BB)[A-Za-z0-9+/=_-]{20,400}'),
  format('mailgun-key', `key-${HEX32}`),
  format('square-token', '(?:sq0(?:atp|csp|idp)|EAAA)[_-][A-Za-z0-9_-]{20,80}'),
  format('pulumi-token', 'pul-[0-9a-f]{40}'),
  format('heroku-key', 'HRKU-[A-Za-z0-9_-]{30,80}'),
  format('doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{20,120}'),
  format('planetscale-token', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{20,80}'),
  format('supabase-token', 'sb[ps]_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,80}'),
  format('netlify-token', 'nfp_[A-Za-z0-9]{30,60}'),
  format('terraform-token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,80}'),
  format('dynatrace-token', 'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  format('postman-key', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'),
  format('buildkite-token', 'bk(?:ua|aj|ct|pt|pi)_[A-Za-z0-9]{30,80}'),
  format('figma-token', 'figd_[A-Za-z0-9_-]{30,80}'),
  format('rubygems-key', 'rubygems_[0-9a-f]{48}'),
  format('cloudflare-key', 'v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}'),
  format('artifactory-key', 'AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56}'),
  format('onepassword-token', 'ops_eyJ[A-Za-z0-9_-]{40,2048}'),
  format('contentful-token', 'CFPAT-[A-Za-z0-9_-]{43}'),
  format('sourcegraph-token', 'sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}'),
  format('facebook-token', 'EAACEdEose0cBA[A-Za-z0-9]{20,255}'),
  format('airtable-token', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}'),
  format('tailscale-key', 'tskey-[a-z]{3,12}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}'),
  // A short prefix and a long mixture of both cases and digits: how tokens are made today, whoever makes them.
  format(
    'token',
    '[a-z]{2,12}_(?:[a-z]{2,8}_)?(?=[A-Za-z0-9]{0,255}[A-Z])(?=[A-Za-z0-9]{0,255}[a-z])(?=[A-Za-z0-9]{0,255}[0-9])[A-Za-z0-9]{32,255}',
  ),
];

/** Password hashes: their first character is none of a word. */
const HASH_FORMATS: readonly SecretFormat[] = [
  hash('SCRAM-SHA-256\\$\\d{1,8}:[A-Za-z0-9+/=]{8,64}\\$[A-Za-z0-9+/=:]{20,128}'),
  hash('\\$2[abxy]\\$\\d{2}\\$[A-Za-z0-9./]{53}'),
  hash('\\$(?:1|5|6|7|y|gy|apr1)\\$(?:rounds=\\d{1,9}\\$)?[A-Za-z0-9./=]{1,64}\\$[A-Za-z0-9./$]{20,128}'),
  hash('\\$(?:argon2(?:id|i|d)|scrypt|pbkdf2-sha\\d{1,3})\\$[A-Za-z0-9+/=,.$-]{20,512}'),
  hash('\\{S?SHA(?:256|512)?\\}[A-Za-z0-9+/]{20,128}={0,2}'),
];

/** All of them in one pattern, since a text is gone through once for each pattern; the group tells which it was. */
const together = (formats: readonly SecretFormat[], before: string, after: string): Step => {
  const pattern = new RegExp(
    `${before}(?:${formats.map(({ source }, i) => `(?<f${i}>${source})`).join('|')})${after}`,
    'g',
  );
  return (text, mark) =>
    text.replace(pattern, (secret: string, ...rest) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      const found = formats.find((_, i) => groups[`f${i}`] !== undefined);
      return mark(found?.secretClass ?? 'token', secret);
    });
};

const redactTokens = together(SECRET_FORMATS, '(?<![A-Za-z0-9_-])', '(?![A-Za-z0-9_-])');
const redactHashes = together(HASH_FORMATS, '(?<![\\w$])', '(?![A-Za-z0-9/+$])');

export const redactFormats: Step = (text, mark) => redactHashes(redactTokens(text, mark), mark);
