import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';

export const missingOpenssl = (): string | undefined =>
  spawnSync('openssl', ['version']).status === 0
    ? undefined
    : 'openssl is not installed';

export function makeCertificate(folder: string): { cert: string; key: string } {
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const subject = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  ];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' });
  return { cert, key };
}
