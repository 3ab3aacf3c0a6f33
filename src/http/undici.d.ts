/** The parts of undici that `dispatcher.ts` imports by themselves. */

declare module 'undici/lib/api/index.js' {
  const methods: Readonly<Record<'connect' | 'request', unknown>>;
  export default methods;
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  export { Dispatcher as default } from 'undici';
}

declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  export { EnvHttpProxyAgent as default } from 'undici';
}
