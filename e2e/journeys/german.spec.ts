// Leads through: i18n
import { createWorkflow, expect, test } from './support/journey.ts';
import { chain, node } from './support/portal.ts';

test.use({ contextOptions: { locale: 'de-DE' } });

test('node types and credentials speak the language of the person', async ({ person }) => {
  const { page } = person;
  const { id } = await createWorkflow(person, {
    name: 'Auf Deutsch',
    ...chain(node('frage', 'http', { curl: 'curl https://example.com' }), node('mail', 'sendEmail')),
  });

  await test.step('in the palette, the panel and what is missing', async () => {
    await page.goto(`/workflows/${id}`);
    const palette = page.getByRole('complementary', { name: 'Knotentypen' });
    await expect(palette.getByRole('button', { name: /^HTTP-Anfrage/ })).toBeVisible();
    await palette.getByRole('textbox', { name: 'Knotentyp finden' }).fill('schleife');
    await expect(palette.getByRole('button')).toContainText([/Schleife/]);
    await page.getByRole('group', { name: /^mail, E-Mail senden/ }).click();
    const panel = page.getByRole('region', { name: 'Knoten', exact: true });
    await panel.getByRole('tab', { name: 'Einstellen' }).click();
    await expect(panel.getByRole('textbox', { name: 'Betreff' })).toBeVisible();
    await expect(panel.getByText('Trenne mehrere Adressen durch Kommas.').first()).toBeVisible();
    await expect(panel.getByText('Gib mindestens einen Empfänger ein')).toBeVisible();
  });

  await test.step('in the form of a credential', async () => {
    await page.goto('/credentials');
    await page.getByRole('button', { name: 'Neue Zugangsdaten' }).first().click();
    await page.getByRole('textbox', { name: 'Dienst suchen' }).fill('postfach');
    await page.getByRole('button', { name: 'IMAP-Postfach' }).click();
    await expect(page.getByRole('textbox', { name: 'Benutzername' })).toBeVisible();
  });
});
