import { expect, it } from 'vitest';
import { explainRedirect } from '../../src/http/redirects.ts';

const URL = 'https://upstream.test/api/v2/move/?limit=1';

const COOKIE = 'Servers that redirect to the same URL usually expect a cookie';
const LOGIN = 'This one redirects to a login page.';
const OTHER = 'Use the final URL, because redirects to other URLs are not followed.';

it.each<[location: string, hint: string]>([
  [URL, COOKIE],
  ['/api/v2/move/?limit=1', COOKIE],
  ['/api/v2/move?limit=1', COOKIE],
  ['/login?next=/api/v2/move/', LOGIN],
  ['https://upstream.test/users/sign_in', LOGIN],
  ['https://sso.company.test/', LOGIN],
  ['https://accounts.test/oauth2/authorize?client_id=1', LOGIN],
  ['/api/v2/move/', OTHER],
  ['/logins-of-2024/', OTHER],
  ['https://other.test/api/v2/move/?limit=1', OTHER],
  ['http://[', OTHER],
])('explains a redirect to %s', (location, hint) => {
  expect(explainRedirect(URL, location)).toContain(hint);
});
