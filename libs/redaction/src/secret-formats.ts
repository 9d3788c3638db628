/**
 * Tokens that are recognised by their own form. Every pattern starts where a run of its characters starts
 * (look-behind) and has bounded repetition, so that a hostile text costs time in proportion to its length.
 */
export type SecretFormat = { readonly secretClass: string; readonly pattern: RegExp };

const START = '(?<![A-Za-z0-9_-])';
const END = '(?![A-Za-z0-9_-])';
const format = (secretClass: string, source: string): SecretFormat => ({
  secretClass,
  pattern: new RegExp(`${START}(?:${source})${END}`, 'g'),
});

export const SECRET_FORMATS: readonly SecretFormat[] = [
  format('jwt', 'eyJ[A-Za-z0-9_-]{5,4096}\\.[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{5,2048}'),
  format('aws-key', '(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}'),
  format('github-token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}'),
  format('gitlab-token', 'gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,255}'),
  format('slack-token', 'xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{10,255}'),
  format('stripe-key', '(?:sk|rk|whsec)_(?:live|test)?_?[A-Za-z0-9]{16,255}'),
  format('google-key', 'AIza[A-Za-z0-9_-]{35}|ya29\\.[A-Za-z0-9_-]{20,1024}|GOCSPX-[A-Za-z0-9_-]{20,64}'),
  format('api-key', 'sk-[A-Za-z0-9_-]{20,255}'),
  format('npm-token', 'npm_[A-Za-z0-9]{36}'),
  format('pypi-token', 'pypi-[A-Za-z0-9_-]{40,512}'),
  format('sendgrid-key', 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  format('huggingface-token', 'hf_[A-Za-z0-9]{30,64}'),
  format('digitalocean-token', 'do[opr]_v1_[0-9a-f]{64}'),
  format('docker-token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,255}'),
  format('vault-token', 'hv[sbr]\\.[A-Za-z0-9_-]{20,512}'),
  format('nkey-seed', 'S[UAOCNX][A-Z2-7]{56}'),
  format('age-key', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'),
];

export const SLACK_WEBHOOK = /hooks\.slack\.com\/services\/([A-Za-z0-9/_-]{20,128})/g;
