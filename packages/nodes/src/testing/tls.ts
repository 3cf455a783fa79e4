/** Self-signed certificate of `tls.example` with its key, made for tests and trusted nowhere else; valid to 2120. */
function pem(title: string, content: string): string {
  return `-----BEGIN ${title}-----\n${content}\n-----END ${title}-----\n`;
}

export const certificate = pem(
  'CERTIFICATE',
  'MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAt0bHMuZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UEAwwLdGxzLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASOYWs0QhAwb85vhy1fCgeJ/9S50wAzIYq2mUqvk2SvPQs2iJgSc71Rfdbx+qgzuWy7o+gqogejqQ3tok8yGTKto0owSDAWBgNVHREEDzANggt0bHMuZXhhbXBsZTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSy916ifp2VR1+VxQ99yICD3idFqDAKBggqhkjOPQQDAgNJADBGAiEAyz4CUfs4kwbMIzJbhPBVghexbds//hHkXpGe3k6vVZ8CIQD0cHqGqsyhAYz9nG1R4VKiyUt1gs/+LVmYd6fIDsLFrQ==',
);

export const certificateKey = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIWuBawOG1nxa0GawJH4FjcAHu3QJ+HIdnqy1/OfzFI6hRANCAASOYWs0QhAwb85vhy1fCgeJ/9S50wAzIYq2mUqvk2SvPQs2iJgSc71Rfdbx+qgzuWy7o+gqogejqQ3tok8yGTKt',
);
