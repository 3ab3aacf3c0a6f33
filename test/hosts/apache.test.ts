import { describe, expect, it } from 'vitest';
import { apiHeaders, commonHeaders, pageHeaders, preflightHeaders } from '../../src/contract/headers.ts';
import { apache } from '../../src/hosts/apache.ts';
import { serverConfiguration } from '../support/server-configuration.ts';

const { path, text, withMoreRecords } = serverConfiguration(apache);

describe('Apache’s configuration', () => {
  it('says what made it and what it needs, and refuses itself first', () => {
    expect(path).toBe('.htaccess');
    expect(text).toMatch(/^# Made by gamedata for Apache 2\.4/);
    expect(text).toContain('AllowOverride All');
    expect(text).toContain('a2enmod rewrite headers');
    expect(/^RewriteRule .*$/m.exec(text)?.[0]).toBe('RewriteRule (?:^|/)[._] - [R=404,END]');
  });

  it('does not depend on the data', () => {
    expect(withMoreRecords()).toBe(text);
  });

  it('has all headers, on errors too', () => {
    const all = { ...commonHeaders, ...apiHeaders, ...pageHeaders, ...preflightHeaders };
    for (const [name, value] of Object.entries(all))
      expect(text).toContain(`\nHeader always set ${name} "${value}"`);
    expect(text).not.toMatch(/^Header (?!always)/m);
  });

  it('ends rules for good: after [L] the rules would begin again', () => {
    for (const rule of text.match(/^RewriteRule .*$/gm) ?? []) expect(rule).toMatch(/\[(?:.*END|E=.*)\]$/);
  });

  it('makes validators of what is in a file', () => {
    expect(text).toContain('\nFileETag Digest\n');
  });
});
