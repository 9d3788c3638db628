/** Words that announce a secret, as pieces of patterns; compared without regard to case. */
export const KEY_WORD =
  'password|passwd|passphrase|pwd|secret(?:[-_. ]?key(?:[-_. ]?base)?)?|token|credentials?' +
  '|(?:api|access|account|private|signing|encryption|master|shared|unseal|client|app|consumer|license|recovery|webhook|subscription)[-_. ]?key(?:[-_. ]?data)?' +
  '|jsessionid|phpsessid|connect\\.sid';

/** The same in other languages that operators write in. `\b` knows no letters beyond ASCII, so that none is used. */
export const FOREIGN_KEY_WORD =
  'passwort|kennwort|mot de passe|contraseña|senha|пароль|密码|口令|密钥|密鑰|パスワード|비밀번호';

export const FOREIGN_HINT = /wort|mot de passe|contrase|senha|пароль|密|口令|パス|비밀/i;
