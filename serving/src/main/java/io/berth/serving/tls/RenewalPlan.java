package io.berth.serving.tls;

import java.time.Instant;

/** The next action on the certificates, and the time of the next check. */
public sealed interface RenewalPlan {

  /** Do nothing before this instant. */
  record Wait(Instant until) implements RenewalPlan {}

  /**
   * Create an authority and a server certificate, because there is none or the authority has
   * expired.
   */
  record Begin(String reason) implements RenewalPlan {}

  /** Create the next authority and publish it together with the current one. */
  record IntroduceAuthority(String reason) implements RenewalPlan {}

  /**
   * Sign with the next authority, which all clients trust now; the current one stays published
   * until it expires.
   */
  record PromoteAuthority(String reason) implements RenewalPlan {}

  /** Sign a new server certificate with the current authority. */
  record RenewServer(String reason) implements RenewalPlan {}

  /** Stop publishing expired authorities. */
  record ForgetEnded(String reason) implements RenewalPlan {}

  /**
   * The certificate is renewed externally, for example by cert-manager; check it again at this
   * instant.
   */
  record LeaveToOthers(Instant until) implements RenewalPlan {}
}
