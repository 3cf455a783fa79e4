import { create } from 'zustand';

interface SessionStore {
  /** `ended`: was signed in, could not be renewed; a dialog asks for the password while requests wait. */
  status: 'unknown' | 'anonymous' | 'signed_in' | 'ended';
  /** Settles the requests that wait for a sign-in. */
  settle: ((signedIn: boolean) => void) | undefined;
}

export const useSession = create<SessionStore>()(() => ({ status: 'unknown', settle: undefined }));

export function markSignedIn(): void {
  const { settle } = useSession.getState();
  useSession.setState({ status: 'signed_in', settle: undefined });
  settle?.(true);
}

export function markAnonymous(): void {
  const { settle } = useSession.getState();
  useSession.setState({ status: 'anonymous', settle: undefined });
  settle?.(false);
}

/** Opens the sign-in dialog over the page; someone who never was signed in is sent to the sign-in page by the router. */
export function askToSignInAgain(): Promise<boolean> {
  if (useSession.getState().status !== 'signed_in') return Promise.resolve(false);
  return new Promise((settle) => useSession.setState({ status: 'ended', settle }));
}
