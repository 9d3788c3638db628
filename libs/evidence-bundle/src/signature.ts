import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { sha256 } from '@inquest/contracts/canonical-json';

/** A file that is no Ed25519 key. */
export class UnusableKey extends Error {
  constructor(kind: 'private' | 'public') {
    super(`this is no ${kind} Ed25519 key in PEM form`);
    this.name = 'UnusableKey';
  }
}

const ed25519 = (kind: 'private' | 'public', read: () => KeyObject): KeyObject => {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new UnusableKey(kind);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new UnusableKey(kind);
  return key;
};

const bytesOf = (file: Uint8Array | string): Uint8Array =>
  typeof file === 'string' ? new TextEncoder().encode(file) : file;

/** The raw 64 bytes of RFC 8032 over the file as it stands. Throws {@link UnusableKey}. */
export const signBundle = (file: Uint8Array | string, privateKeyPem: string): Uint8Array =>
  sign(
    null,
    bytesOf(file),
    ed25519('private', () => createPrivateKey(privateKeyPem)),
  );

const publicKeyOf = (pem: string): KeyObject => {
  // A private key file is refused here although a public key could be had from it: nobody should pass one around.
  if (/PRIVATE KEY/.test(pem)) throw new UnusableKey('public');
  return ed25519('public', () => createPublicKey(pem));
};

/** Throws {@link UnusableKey}; a signature of another length or form is simply none. */
export const signatureHolds = (
  file: Uint8Array | string,
  signature: Uint8Array,
  publicKeyPem: string,
): boolean => verify(null, bytesOf(file), publicKeyOf(publicKeyPem), signature);

/** sha256 of the public key's DER form: what two people compare on the telephone. Throws {@link UnusableKey}. */
export const keyFingerprint = (publicKeyPem: string): string =>
  sha256(publicKeyOf(publicKeyPem).export({ type: 'spki', format: 'der' }));

/** A new key pair as PEM texts: PKCS #8 and SPKI, as openssl writes and reads them. */
export const newKeyPair = (): { privateKey: string; publicKey: string } =>
  generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
