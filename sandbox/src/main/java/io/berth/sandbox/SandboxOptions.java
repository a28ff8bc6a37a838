package io.berth.sandbox;

import io.berth.sandbox.release.KubernetesVersion;
import java.time.Clock;

/**
 * The settings of a sandbox.
 *
 * @param host host name or IP address to listen on
 * @param port port to listen on; 0 selects a free port
 * @param history number of changes kept per resource for watches that resume from an older version
 * @param clock clock for timestamps and ages
 * @param version Kubernetes version to emulate
 */
public record SandboxOptions(
    String host, int port, int history, Clock clock, KubernetesVersion version) {
  private static final int DEFAULT_HISTORY = 50_000;

  /** The default options: a free port on the loopback address. */
  public static SandboxOptions defaults() {
    return new SandboxOptions(
        "127.0.0.1", 0, DEFAULT_HISTORY, Clock.systemUTC(), KubernetesVersion.standard());
  }

  /** Returns these options with another host. */
  public SandboxOptions withHost(String otherHost) {
    return new SandboxOptions(otherHost, port, history, clock, version);
  }

  /** Returns these options with another port. */
  public SandboxOptions withPort(int otherPort) {
    return new SandboxOptions(host, otherPort, history, clock, version);
  }

  /** Returns these options with another history length. */
  public SandboxOptions withHistory(int otherHistory) {
    return new SandboxOptions(host, port, otherHistory, clock, version);
  }

  /** Returns these options with another clock. */
  public SandboxOptions withClock(Clock otherClock) {
    return new SandboxOptions(host, port, history, otherClock, version);
  }

  /** Returns these options with another Kubernetes version. */
  public SandboxOptions withVersion(KubernetesVersion otherVersion) {
    return new SandboxOptions(host, port, history, clock, otherVersion);
  }
}
