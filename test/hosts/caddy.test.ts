import { describe, expect, it } from 'vitest';
import { apiHeaders, commonHeaders, pageHeaders, preflightHeaders } from '../../src/contract/headers.ts';
import { caddy } from '../../src/hosts/caddy.ts';
import { serverConfiguration } from '../support/server-configuration.ts';

const { path, text, withMoreRecords } = serverConfiguration(caddy);

describe('Caddy’s configuration', () => {
  it('says what made it and where it goes, and lies where it is not served', () => {
    expect(path).toBe('_hosts/Caddyfile');
    expect(text).toMatch(/^# Made by gamedata for Caddy: copy it to/);
    expect(text).toContain('@hidden path_regexp /[._]\n');
    expect(text).toContain('error @hidden 404\n');
  });

  it('has each line that an operator sets once', () => {
    for (const line of ['\n:80 {', 'root * /srv/gamedata']) expect(text.split(line)).toHaveLength(2);
  });

  it('does not depend on the data', () => {
    expect(withMoreRecords()).toBe(text);
  });

  it('has all headers', () => {
    const all = { ...commonHeaders, ...apiHeaders, ...pageHeaders, ...preflightHeaders };
    for (const [name, value] of Object.entries(all)) expect(text).toContain(`\t${name} "${value}"\n`);
  });

  it('never uses what ignores case or joins repeated parameters', () => {
    const directives = text.replaceAll(/^\s*#.*$/gm, '');
    expect(directives).not.toMatch(/\{query\./);
    expect(directives).not.toMatch(/@\w+ path \/\w/);
  });
});
