/** Self-signed certificates of `tls.example` with their key, made for these tests and trusted nowhere else. */
function pem(title: string, content: string): string {
  return `-----BEGIN ${title}-----\n${content}\n-----END ${title}-----\n`;
}

/** Valid from 2020 to 2120. */
export const validCertificate = pem(
  'CERTIFICATE',
  'MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAt0bHMuZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UEAwwLdGxzLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASOYWs0QhAwb85vhy1fCgeJ/9S50wAzIYq2mUqvk2SvPQs2iJgSc71Rfdbx+qgzuWy7o+gqogejqQ3tok8yGTKto0owSDAWBgNVHREEDzANggt0bHMuZXhhbXBsZTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSy916ifp2VR1+VxQ99yICD3idFqDAKBggqhkjOPQQDAgNJADBGAiEAyz4CUfs4kwbMIzJbhPBVghexbds//hHkXpGe3k6vVZ8CIQD0cHqGqsyhAYz9nG1R4VKiyUt1gs/+LVmYd6fIDsLFrQ==',
);

/** Expired in 2021. */
export const expiredCertificate = pem(
  'CERTIFICATE',
  'MIIBZDCCAQugAwIBAgIBAjAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAt0bHMuZXhhbXBsZTAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBYxFDASBgNVBAMMC3Rscy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjmFrNEIQMG/Ob4ctXwoHif/UudMAMyGKtplKr5Nkrz0LNoiYEnO9UX3W8fqoM7lsu6PoKqIHo6kN7aJPMhkyraNKMEgwFgYDVR0RBA8wDYILdGxzLmV4YW1wbGUwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUsvdeon6dlUdflcUPfciAg94nRagwCgYIKoZIzj0EAwIDRwAwRAIgffFYfjirdfUwO1f4m6V7AUIyykMzQBYUDJJYUN2c4u8CIELPB10YOd7cGQJAI0SuSAF9c0uCtRB8Td5wVfT5SpUo',
);

export const certificateKey = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIWuBawOG1nxa0GawJH4FjcAHu3QJ+HIdnqy1/OfzFI6hRANCAASOYWs0QhAwb85vhy1fCgeJ/9S50wAzIYq2mUqvk2SvPQs2iJgSc71Rfdbx+qgzuWy7o+gqogejqQ3tok8yGTKt',
);
