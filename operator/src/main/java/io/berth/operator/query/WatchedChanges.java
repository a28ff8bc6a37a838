package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.query.ResourceAccess.Action;
import io.berth.serving.http.BodyStream;
import io.berth.serving.http.StreamedBody;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * One watch. It asks the leader for the changes after its position, sends them, waits a moment, and
 * asks again, until its time is over, the client or the user's right has gone, or the leader does
 * not know the position any more.
 */
final class WatchedChanges implements StreamedBody {
  /** The time after which the user's rights are checked again. */
  static final Duration CHECKED = Duration.ofSeconds(30);

  /** The longest time for which a right counts that cannot be checked again. */
  static final Duration UNCHECKED = Duration.ofSeconds(60);

  /** The time between bookmarks. */
  static final Duration BOOKMARKS = Duration.ofSeconds(60);

  /** The time after which a watch ends that nobody answers. */
  static final Duration LEADERLESS = Duration.ofSeconds(30);

  private final Parts parts;
  private final WatchEvents events;
  private final InstantSource clock;
  private final Instant end;

  private ChangeLines page;
  private boolean namesNodes;
  private boolean initial;
  private Instant answeredAt;
  private Instant checkedAt;
  private Instant bookmarkedAt;

  /**
   * The parts of a watch.
   *
   * @param pause the time between two questions
   */
  record Parts(
      Watches watches,
      ResourceAccess access,
      ObjectSource source,
      ApiUser user,
      RequestTarget target,
      ListOptions options,
      Duration pause) {}

  /**
   * @param first the first page of changes
   * @param namesNodes whether the user may see the names of nodes
   * @param time the longest time for which to watch
   */
  WatchedChanges(
      Parts parts,
      WatchEvents events,
      InstantSource clock,
      ChangeLines first,
      boolean namesNodes,
      Duration time) {
    this.parts = parts;
    this.events = events;
    this.clock = clock;
    this.page = first;
    this.namesNodes = namesNodes;
    this.initial = parts.options().startsWithObjects();
    Instant now = clock.instant();
    this.end = now.plus(time);
    this.answeredAt = now;
    this.checkedAt = now;
    this.bookmarkedAt = now;
  }

  @Override
  public void write(BodyStream to) throws IOException, InterruptedException {
    try {
      send(to);
      boolean waits = !page.more();
      while (to.isOpen()
          && clock.instant().isBefore(end)
          && !parts.watches().isClosedWithin(waits ? parts.pause() : Duration.ZERO)) {
        check();
        boolean answered = ask();
        if (answered) {
          send(to);
        }
        waits = !answered || !page.more();
      }
      bookmark(to, false);
    } catch (ApiException e) {
      to.write(events.error(e));
    }
  }

  /** Sends the changes of the page, and then a bookmark if one is due. */
  private void send(BodyStream to) throws IOException, InterruptedException, ApiException {
    for (String line : page.changes()) {
      JsonNode change = Answers.json(line);
      ObjectNode object = parts.source().object(change.path("object"), namesNodes);
      object.withObject("/metadata").put("resourceVersion", change.path("version").asText());
      to.write(events.event(change.path("type").asText(), object));
    }
    if (initial && !(page.initial() && page.more())) {
      initial = false;
      if (parts.options().initialEvents().orElse(false)) {
        bookmark(to, true);
      }
    }
    if (!clock.instant().isBefore(bookmarkedAt.plus(BOOKMARKS))) {
      bookmark(to, false);
    }
  }

  private void bookmark(BodyStream to, boolean initialEnd)
      throws IOException, InterruptedException {
    if (parts.options().bookmarks() && !initial) {
      to.write(events.bookmark(page.position(), initialEnd));
      bookmarkedAt = clock.instant();
    }
  }

  /** Asks for the next page; returns false if there is no answer at the moment. */
  private boolean ask() throws ApiException {
    try {
      page =
          ChangeLines.of(
              parts.source().changes(parts.target().namespace(), parts.options(), page.position()));
      answeredAt = clock.instant();
      return true;
    } catch (ApiException e) {
      if (e.code() != 503 || clock.instant().isAfter(answeredAt.plus(LEADERLESS))) {
        throw e;
      }
      return false;
    }
  }

  /** Checks the rights of the user again, from time to time. */
  private void check() throws ApiException {
    Instant now = clock.instant();
    if (now.isBefore(checkedAt.plus(CHECKED))) {
      return;
    }
    try {
      parts.access().require(parts.user(), parts.target().action(parts.options()));
      namesNodes = parts.access().may(parts.user(), Action.listNodes());
      checkedAt = now;
    } catch (ApiException e) {
      if (e.code() == 403 || !now.isBefore(checkedAt.plus(UNCHECKED))) {
        throw e;
      }
    }
  }

  @Override
  public void close() {
    parts.watches().ended(parts.user().name());
  }
}
