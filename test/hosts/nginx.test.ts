import { describe, expect, it } from 'vitest';
import { apiHeaders, commonHeaders } from '../../src/contract/headers.ts';
import { nginx } from '../../src/hosts/nginx.ts';
import { serverConfiguration } from '../support/server-configuration.ts';

const { path, text, withMoreRecords } = serverConfiguration(nginx);

describe('nginx’s configuration', () => {
  it('says what made it and where it goes, and lies where it is not served', () => {
    expect(path).toBe('_hosts/nginx.conf');
    expect(text).toMatch(/^# Made by gamedata for nginx\. It goes into the http block/);
    expect(text).toContain("location ~ '/[._]' { return 404; }");
  });

  it('has each line that an operator sets once', () => {
    for (const line of ['listen 80;', 'server_name _;', 'root /srv/gamedata;'])
      expect(text.split(line)).toHaveLength(2);
  });

  it('does not depend on the data', () => {
    expect(withMoreRecords()).toBe(text);
  });

  it('sets every header of the API wherever a location sets headers of the API', () => {
    for (const [name, value] of Object.entries({ ...commonHeaders, ...apiHeaders }))
      expect(text).toContain(`add_header ${name} '${value}' always;`);
    const blocks = text.match(/(?: +add_header .*\n)+/g) ?? [];
    expect(blocks.length).toBeGreaterThan(5);
    for (const block of blocks) expect(block).toContain("Access-Control-Allow-Origin '*'");
  });

  it('never looks a parameter up the way nginx does, which ignores case', () => {
    expect(text.replaceAll(/^#.*$/gm, '')).not.toContain('$arg_');
  });
});
