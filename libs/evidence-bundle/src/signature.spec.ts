import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@inquest/testing/describe-with';
import { keyFingerprint, newKeyPair, signatureHolds, signBundle, UnusableKey } from './signature';

const FILE = '{"schema":"inquest.bundle.v1"}';
const { privateKey, publicKey } = newKeyPair();
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

describe('A detached signature', () => {
  it('is 64 bytes over the file as it stands, and always the same', () => {
    const signature = signBundle(FILE, privateKey);
    expect(signature).toHaveLength(64);
    expect(Buffer.from(signBundle(FILE, privateKey)).equals(signature)).toBe(true);
    expect(signatureHolds(new TextEncoder().encode(FILE), signature, publicKey)).toBe(true);
  });

  it.each<[string, string, Uint8Array, string]>([
    ['other bytes', `${FILE} `, signBundle(FILE, privateKey), publicKey],
    ['another key', FILE, signBundle(FILE, newKeyPair().privateKey), publicKey],
    ['no signature at all', FILE, new Uint8Array(0), publicKey],
    ['a signature that is too long', FILE, new Uint8Array(65), publicKey],
  ])('of %s does not hold', (_, file, signature, key) => {
    expect(signatureHolds(file, signature, key)).toBe(false);
  });

  it.each([
    ['prose', 'not a key'],
    ['an RSA key', rsa.privateKey],
    ['a public key', publicKey],
  ])('is not made with %s', (_, key) => expect(() => signBundle(FILE, key)).toThrow(UnusableKey));

  it.each([
    ['prose', 'not a key'],
    ['an RSA key', rsa.publicKey],
    ['a private key', privateKey],
  ])('is not checked with %s', (_, key) =>
    expect(() => signatureHolds(FILE, new Uint8Array(64), key)).toThrow(UnusableKey),
  );

  it('tells keys apart by a fingerprint', () => {
    expect(keyFingerprint(publicKey)).toMatch(/^[0-9a-f]{64}$/);
    expect(keyFingerprint(publicKey)).not.toBe(keyFingerprint(newKeyPair().publicKey));
  });
});

const OPENSSL = spawnSync('sh', ['-c', 'command -v openssl'], { encoding: 'utf8' }).stdout.trim();

describeWith(OPENSSL)('openssl', () => {
  let dir: string;
  beforeAll(() => (dir = mkdtempSync(join(tmpdir(), 'inquest-keys-'))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const openssl = (...args: string[]) => spawnSync('openssl', args, { cwd: dir, encoding: 'utf8' });

  it('verifies what is signed here, and makes keys that sign here', () => {
    writeFileSync(join(dir, 'run.json'), FILE);
    expect(openssl('genpkey', '-algorithm', 'ed25519', '-out', 'k.key').status).toBe(0);
    const made = openssl('pkey', '-in', 'k.key').stdout;
    writeFileSync(join(dir, 'k.pub'), openssl('pkey', '-in', 'k.key', '-pubout').stdout);
    writeFileSync(join(dir, 'run.json.sig'), signBundle(FILE, made));
    const verify = ['pkeyutl', '-verify', '-pubin', '-inkey', 'k.pub', '-rawin', '-in', 'run.json'];
    expect(openssl(...verify, '-sigfile', 'run.json.sig').stdout).toContain(
      'Signature Verified Successfully',
    );
  });
});
