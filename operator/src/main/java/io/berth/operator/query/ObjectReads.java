package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.ChangesRequest;
import io.berth.operator.http.QueryParameters;
import io.berth.operator.query.ResourceAccess.Action;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHead;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** The requests that get, list, and watch objects. */
final class ObjectReads {
  /** The longest time of a watch is between this and twice as much, so that not all end at once. */
  static final Duration LONGEST = Duration.ofMinutes(5);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Map<QueryResource, ObjectSource> sources;
  private final ResourceAccess access;
  private final Watches watches;
  private final Duration pause;
  private final InstantSource clock;

  ObjectReads(
      Map<QueryResource, ObjectSource> sources,
      ResourceAccess access,
      Watches watches,
      InstantSource clock) {
    this(sources, access, watches, PAUSE, clock);
  }

  /**
   * @param pause the time between two questions of a watch
   */
  ObjectReads(
      Map<QueryResource, ObjectSource> sources,
      ResourceAccess access,
      Watches watches,
      Duration pause,
      InstantSource clock) {
    this.sources = Map.copyOf(sources);
    this.access = access;
    this.watches = watches;
    this.pause = pause;
    this.clock = clock;
  }

  /** Answers a request of a user whose rights have not been checked. */
  HttpAnswer answer(RequestHead head, ApiUser user, RequestTarget target, QueryParameters query)
      throws ApiException {
    ObjectSource source = sources.get(target.resource());
    if (source == null) {
      throw new IllegalArgumentException(target.resource() + " cannot be read");
    }
    if (!target.name().isEmpty()) {
      access.require(user, target.action());
      notWatched(target, query);
      return formatted(
          head,
          target,
          query,
          source.get(target.namespace(), target.name(), access.may(user, Action.listNodes())));
    }
    ListOptions options = ListOptions.read(target.resource(), query, source.fields());
    access.require(user, target.action(options));
    boolean namesNodes = access.may(user, Action.listNodes());
    return options.watch()
        ? watch(head, query, namesNodes, parts(source, user, target, options))
        : formatted(
            head, target, query, source.list(target.namespace(), options, query, namesNodes));
  }

  private WatchedChanges.Parts parts(
      ObjectSource source, ApiUser user, RequestTarget target, ListOptions options) {
    return new WatchedChanges.Parts(watches, access, source, user, target, options, pause);
  }

  private static void notWatched(RequestTarget target, QueryParameters query) throws ApiException {
    if (ListOptions.isTrue(query.first("watch"))) {
      throw new ApiException(
          400,
          "watch one of the %s by fieldSelector=metadata.name=%s"
              .formatted(target.resource().plural(), target.name()));
    }
  }

  /** Returns an object or list, as a table if the client prefers it. */
  private HttpAnswer formatted(
      RequestHead head, RequestTarget target, QueryParameters query, ObjectNode found)
      throws ApiException {
    Optional<TableFormat> table = TableFormat.of(head, query);
    return ApiStatus.json(
        200,
        table
            .map(format -> ApiTables.of(target.resource()).of(found, clock.instant(), format))
            .orElse(found));
  }

  private HttpAnswer watch(
      RequestHead head, QueryParameters query, boolean namesNodes, WatchedChanges.Parts parts)
      throws ApiException {
    QueryResource resource = parts.target().resource();
    Optional<TableFormat> table = TableFormat.of(head, query);
    WatchEvents events = new WatchEvents(resource, table, clock);
    if (head.header("Upgrade").isPresent()) {
      return noWebSocket(events);
    }
    String user = parts.user().name();
    watches.begin(user);
    boolean begun = false;
    try {
      ChangeLines first =
          ChangeLines.of(
              parts
                  .source()
                  .changes(parts.target().namespace(), parts.options(), position(parts.options())));
      WatchedChanges stream =
          new WatchedChanges(parts, events, clock, first, namesNodes, time(parts.options()));
      begun = true;
      return HttpAnswer.streamed(200, "application/json", stream);
    } finally {
      if (!begun) {
        watches.ended(user);
      }
    }
  }

  /**
   * Answers a client that wants to watch over a WebSocket. Clients of Kubernetes take status 200
   * instead of an upgrade as the advice to watch over plain HTTP.
   */
  private static HttpAnswer noWebSocket(WatchEvents events) {
    return new HttpAnswer(
        200,
        "application/json",
        events.error(
            new ApiException(400, "WebSockets are not served here; watch over plain HTTP")));
  }

  private static String position(ListOptions options) {
    if (options.startsWithObjects()) {
      return "";
    }
    return options.version().isEmpty() ? ChangesRequest.LATEST : options.version();
  }

  private static Duration time(ListOptions options) {
    Duration longest =
        Duration.ofMillis(
            ThreadLocalRandom.current().nextLong(LONGEST.toMillis(), 2 * LONGEST.toMillis()));
    return options
        .timeoutSeconds()
        .map(Duration::ofSeconds)
        .filter(wanted -> wanted.compareTo(longest) < 0)
        .orElse(longest);
  }
}
