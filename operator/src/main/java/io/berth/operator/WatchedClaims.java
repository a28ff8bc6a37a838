package io.berth.operator;

import io.berth.operator.bind.KnownClaims;
import io.berth.operator.feed.ClusterFeed;
import java.util.Optional;

/** The resource claims as the feed has passed them to the engine. */
record WatchedClaims(ClusterFeed feed) implements KnownClaims {
  @Override
  public Optional<String> versionOf(String namespace, String name) {
    return feed.forwardedVersionOfDeviceClaim(namespace, name);
  }

  @Override
  public Optional<String> otherWithDeviceOf(String namespace, String name) {
    return feed.otherClaimWithDeviceOf(namespace, name);
  }
}
