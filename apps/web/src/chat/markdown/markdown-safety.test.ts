import { describe, expect, it } from 'vitest';
import { linkAddress, pictureAddress } from './addresses.ts';
import { withoutEntities } from './entities.ts';

const BASE = 'https://flows.example/chat/help';

describe('linkAddress', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://flows.example/1',
    'http://[',
  ])('refuses %j', (href) => {
    expect(linkAddress(href, BASE)).toBeUndefined();
  });

  it('keeps web, mail and telephone links', () => {
    expect(linkAddress('https://example.com/a', BASE)).toBe('https://example.com/a');
    expect(linkAddress('/review/x', BASE)).toBe('https://flows.example/review/x');
    expect(linkAddress('mailto:a@example.com', BASE)).toBe('mailto:a@example.com');
    expect(linkAddress('tel:+491234', BASE)).toBe('tel:+491234');
  });
});

describe('pictureAddress', () => {
  it('shows pictures in the text and shared files of this server', () => {
    expect(pictureAddress('data:image/png;base64,AAAA', BASE)).toBe('data:image/png;base64,AAAA');
    expect(pictureAddress('/api/files/dl/abc', BASE)).toBe('https://flows.example/api/files/dl/abc');
  });

  it.each([
    'https://other.example/pixel.png',
    '//other.example/pixel.png',
    '/api/callbacks/abc',
    '/api/files/dl/../../auth/logout',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
  ])('does not load %j', (src) => {
    expect(pictureAddress(src, BASE)).toBeUndefined();
  });
});

describe('withoutEntities', () => {
  it('writes character references as characters, and leaves what is none', () => {
    expect(withoutEntities('a &amp; b &lt;i&gt; &#65;&#x42; &nbsp;|')).toBe('a & b <i> AB \u00a0|');
    expect(withoutEntities('&unknown; &#0; &#x110000; AT&T')).toBe('&unknown; &#0; &#x110000; AT&T');
  });
});
