import { createWebServer } from './server-program.ts';

export const caddy = createWebServer({
  host: 'caddy',
  program: 'caddy',
  configuration: '_hosts/Caddyfile',
  args: (folder) => ['run', '--adapter', 'caddyfile', '--config', `${folder}/main.conf`],
  createMain: (folder) => `{\n\tadmin off\n\tauto_https off\n}\nimport ${folder}/site.conf\n`,
  // The site block is the only one and starts with its address.
  move: (configuration, _, port) => configuration.replace(/^\w\S+ \{$/m, `http://127.0.0.1:${port} {`),
});
