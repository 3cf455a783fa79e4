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

/** Another one, of `localhost` and 127.0.0.1, for clients that look hosts up themselves; valid to 2120. */
export const localCertificate = pem(
  'CERTIFICATE',
  'MIIBmzCCAUGgAwIBAgIUOnREW8xwEjnwiHBxazbCVEbF0gAwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNDIzNDcyMVoYDzIxMjAxMDIyMjM0NzIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQeh84VDtcmLXmu+vMUb8wH3+UXx3geUifh8eTA9XJJhysUGa8Dqeo3eYCa8xU6uitVRMbMgbnPUeL3KRvxOm3Zo28wbTAdBgNVHQ4EFgQU3D71etc+jXxLarm48FrguEGgY6cwHwYDVR0jBBgwFoAU3D71etc+jXxLarm48FrguEGgY6cwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgYCNPl7tFrOd0cuDKrMcF6NUg5qlLCG6zDT0cGhK940cCIQDkGkfTkOzkkZNu4ALiwYJx9N7ZBB+2r0Q2hD+RG5DYyg==',
);

export const localCertificateKey = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgY3yRxF0aW7kpaXkvrf2WIAMdZFwUp2VC54u8yY+oWwGhRANCAAQeh84VDtcmLXmu+vMUb8wH3+UXx3geUifh8eTA9XJJhysUGa8Dqeo3eYCa8xU6uitVRMbMgbnPUeL3KRvxOm3Z',
);
