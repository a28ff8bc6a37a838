package io.berth.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.bind.KnownClaims;
import io.berth.operator.feed.ClusterFeed;
import java.util.Optional;

/** The resource claims as the feed has passed them to the engine. */
record WatchedClaims(ClusterFeed feed) implements KnownClaims {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public Optional<JsonNode> find(String namespace, String name) {
    return feed.deviceClaim(namespace, name).map(JSON::valueToTree);
  }

  @Override
  public Optional<String> versionOf(String namespace, String name) {
    return feed.forwardedVersionOfDeviceClaim(namespace, name);
  }

  @Override
  public Optional<String> conflictOf(String namespace, String name) {
    return feed.conflictOfDeviceClaim(namespace, name);
  }
}
