/**
 * Returns the target of a redirect within the origin. By default, only a redirect
 * that adds or removes the trailing slash has a target.
 */
export function resolveRedirect(
  url: string,
  location = '',
  isAny = false,
): string | undefined {
  if (location === '' || !URL.canParse(location, url)) return undefined;
  const from = new URL(url);
  const to = new URL(location, url);
  if (to.origin !== from.origin) return undefined;
  return isAny || isSameAddress(from, to) ? to.href : undefined;
}

const LOGIN =
  /\b(?:log[-_]?in|sign[-_]?in|log[-_]?on|sign[-_]?on|sso|saml|oauth2?|authorize|authenticate)\b/i;

/** Explains a redirect that is not followed, and suggests a fix. */
export function explainRedirect(url: string, location: string): string {
  const from = new URL(url);
  const to = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (to && isSameAddress(from, to)) return SAME_URL_HINT;
  const isLogin = to !== undefined && LOGIN.test(`${to.hostname}${to.pathname}`);
  if (isLogin) return LOGIN_HINT;
  return OTHER_URL_HINT;
}

const SAME_URL_HINT =
  'Open the URL in a browser to see what it wants. Servers that redirect to the same URL usually expect a cookie, which gamedata does not send.';

const LOGIN_HINT =
  'Choose a server or a network that needs no login. This one redirects to a login page.';

const OTHER_URL_HINT =
  'Use the final URL, because redirects to other URLs are not followed.';

/**
 * Returns whether two URLs differ at most in their trailing slash. Some servers
 * redirect from one form to the other, and even back again.
 */
function isSameAddress(from: URL, to: URL): boolean {
  if (from.origin !== to.origin) return false;
  return omitTrailingSlash(from) === omitTrailingSlash(to);
}

const omitTrailingSlash = ({ pathname, search }: URL): string =>
  pathname.replace(/\/$/, '') + search;
