package io.berth.sandbox;

import io.berth.sandbox.release.KubernetesVersion;
import java.time.Clock;

/**
 * The settings of a sandbox.
 *
 * @param host where it listens, a name or an address
 * @param port where it listens; 0 takes a free one
 * @param history how many changes of each resource a watch can look back on
 * @param clock the time of timestamps and ages
 * @param version the Kubernetes that it looks like
 */
public record SandboxOptions(
    String host, int port, int history, Clock clock, KubernetesVersion version) {
  private static final int DEFAULT_HISTORY = 50_000;

  /** On a free port of the local host. */
  public static SandboxOptions defaults() {
    return new SandboxOptions(
        "127.0.0.1", 0, DEFAULT_HISTORY, Clock.systemUTC(), KubernetesVersion.newest());
  }

  /** The same on another host. */
  public SandboxOptions withHost(String otherHost) {
    return new SandboxOptions(otherHost, port, history, clock, version);
  }

  /** The same on another port. */
  public SandboxOptions withPort(int otherPort) {
    return new SandboxOptions(host, otherPort, history, clock, version);
  }

  /** The same with another length of history. */
  public SandboxOptions withHistory(int otherHistory) {
    return new SandboxOptions(host, port, otherHistory, clock, version);
  }

  /** The same with another clock. */
  public SandboxOptions withClock(Clock otherClock) {
    return new SandboxOptions(host, port, history, otherClock, version);
  }

  /** The same with the face of another Kubernetes. */
  public SandboxOptions withVersion(KubernetesVersion otherVersion) {
    return new SandboxOptions(host, port, history, clock, otherVersion);
  }
}
