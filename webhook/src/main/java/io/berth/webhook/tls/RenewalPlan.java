package io.berth.webhook.tls;

import java.time.Instant;

/** The next action on the certificates, and the time of the next check. */
public sealed interface RenewalPlan {

  /** Nothing, before this instant. */
  record Wait(Instant until) implements RenewalPlan {}

  /** Make an authority and a server certificate: there is none, or the authority has ended. */
  record Begin(String reason) implements RenewalPlan {}

  /** Make the next authority and publish it beside the present one. */
  record IntroduceAuthority(String reason) implements RenewalPlan {}

  /**
   * Sign with the next authority, which everybody trusts by now; the present one stays published
   * until it ends.
   */
  record PromoteAuthority(String reason) implements RenewalPlan {}

  /** Sign a new server certificate with the present authority. */
  record RenewServer(String reason) implements RenewalPlan {}

  /** Publish authorities no longer that have ended. */
  record ForgetEnded(String reason) implements RenewalPlan {}

  /**
   * The certificate is somebody else's to renew, cert-manager's for instance; look at it again
   * then.
   */
  record LeaveToOthers(Instant until) implements RenewalPlan {}
}
