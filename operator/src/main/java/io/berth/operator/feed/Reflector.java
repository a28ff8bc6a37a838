package io.berth.operator.feed;

import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.api.ResourceVersions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link KindCache} in sync with the API server: it lists, watches, resumes an ended watch
 * at the last resource version, lists again if that version has expired, and retries forever.
 *
 * <p>(1) Every early end of a watch, such as an error response, a broken connection or a timeout,
 * is reported to {@link WatchStatus}; the client library's own informers retry without reporting.
 * (2) Every wait has a limit, so that a dead connection is detected. (3) Each resource has a single
 * thread, which keeps its events in order.
 */
final class Reflector<T extends HasMetadata> {

  private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
  private static final long PAGE = 1000;

  private final HttpClient http;
  private final String server;
  private final KindPath<T> kind;
  private final KindReader<T> reader;
  private final KindCache<T, ?> cache;
  private final WatchStatus watchStatus;
  private final WatchTimes times;
  private final LimitedLog log = new LimitedLog(System::nanoTime);
  private final CompletableFuture<Void> listed = new CompletableFuture<>();
  private final AbsenceWait absence = new AbsenceWait();
  private final Thread thread;
  private volatile boolean stopped;

  // Accessed by the thread alone.
  private String version = "";
  private String newest = "";
  private int failures;

  private Consumer<String> wentBack = finding -> {};
  private boolean listsAfterEachWatch;

  /** The result of an attempt to list or watch. */
  private sealed interface Ending {}

  /** The list is complete, or the watch has lasted its full time or delivered an event. */
  private record Well() implements Ending {}

  /** The resource version to watch from has expired. */
  private record Expired(boolean atOnce) implements Ending {}

  private record Failed(WatchFailure failure) implements Ending {}

  /**
   * @param client a client without retries
   */
  Reflector(
      KubernetesClient client,
      KindPath<T> kind,
      KindCache<T, ?> cache,
      WatchStatus watchStatus,
      WatchTimes times) {
    this.http = client.getHttpClient();
    String url = client.getMasterUrl().toString();
    this.server = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    this.kind = kind;
    this.reader = new KindReader<>(kind.type());
    this.cache = cache;
    this.watchStatus = watchStatus;
    this.times = times;
    this.thread = Thread.ofVirtual().name("watch-" + kind.resource()).unstarted(this::run);
  }

  /**
   * Starts to watch.
   *
   * @return a future that completes when the resource has been listed once, or is known not to be
   *     served
   */
  CompletableFuture<Void> start() {
    thread.start();
    return listed;
  }

  /** Lists the resource again after each watch, even if the watch has not failed. */
  Reflector<T> listingAfterEachWatch() {
    listsAfterEachWatch = true;
    return this;
  }

  /** Sets the receiver of the finding that a list is older than what was known before it. */
  void onWentBack(Consumer<String> receiver) {
    wentBack = receiver;
  }

  /** Adds an object if it has this type; only for a reflector that is not started. */
  void put(HasMetadata object) {
    if (kind.holds(object)) {
      cache.put(kind.type().cast(object));
    }
  }

  /** Removes an object if it has this type; only for a reflector that is not started. */
  void remove(HasMetadata object) {
    if (kind.holds(object)) {
      cache.remove(kind.type().cast(object));
    }
  }

  /** Records that the resource is served; only for a reflector that is not started. */
  void listed() {
    cache.listed();
  }

  void stop() {
    stopped = true;
    thread.interrupt();
  }

  WatchStatus watchStatus() {
    return watchStatus;
  }

  private void run() {
    while (!stopped) {
      try {
        boolean lists = version.isEmpty();
        goOnAfter(lists ? list() : watch());
        if (listsAfterEachWatch && !lists) {
          version = "";
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException bug) {
        LOG.error("Watching {} failed; listing them again", kind.resource(), bug);
        version = "";
        pauseQuietly();
      }
    }
  }

  private void goOnAfter(Ending ending) throws InterruptedException {
    if (stopped) {
      return; // a failure during shutdown is expected
    }
    switch (ending) {
      case Well() -> failures = 0;
      case Expired(boolean atOnce) -> {
        version = "";
        if (atOnce) {
          pause();
        }
      }
      case Failed(WatchFailure failure) -> {
        watchStatus.lost(failure);
        if (failure.reason().equals(WatchFailure.NOT_FOUND)) {
          listed.complete(null);
          failures++;
          absence.await(times.pauseAfter(failures));
          return;
        }
        if (failure.reason().equals(WatchFailure.SILENT) && failures == 0) {
          failures++; // the timeout itself was the delay
        } else {
          pause();
        }
      }
    }
  }

  private void pause() throws InterruptedException {
    failures++;
    Thread.sleep(times.pauseAfter(failures));
  }

  /**
   * Looks for the resource soon if the API server did not serve it when it was last asked. Called
   * when an object names an object of this resource.
   */
  void named() {
    absence.named();
  }

  private void pauseQuietly() {
    try {
      pause();
    } catch (InterruptedException e) {
      stopped = true;
    }
  }

  private Ending list() throws InterruptedException {
    Set<String> there = new HashSet<>();
    String continuation = "";
    String listedAt;
    long limit = PAGE;
    do {
      HttpResponse<byte[]> response;
      ObjectFormat.Page<T> page;
      try {
        response = get(kind.page(limit, continuation));
        if (response.code() == HttpURLConnection.HTTP_GONE && !continuation.isEmpty()) {
          // The continue token expired before the list was complete, so list without pages.
          continuation = "";
          limit = 0;
          there.clear();
          listedAt = "";
          continue;
        }
        if (!response.isSuccessful()) {
          return refused("list", response.code(), contentType(response), bytes(response));
        }
        page = reader.format(contentType(response)).page(bytes(response));
      } catch (IOException e) {
        return failed("list", WatchFailure.NO_ANSWER, String.valueOf(e.getMessage()));
      }
      watchStatus.seen();
      page.unnamed().forEach(this::unreadable);
      page.unreadable().forEach(each -> there.add(unreadable(each.stub(), each.why())));
      for (T object : page.items()) {
        there.add(cache.put(object));
      }
      listedAt = page.resourceVersion();
      continuation = page.continuation();
    } while (!continuation.isEmpty() || listedAt.isEmpty());
    if (ResourceVersions.precedes(listedAt, newest)) {
      wentBack.accept(ResourceVersions.wentBack(kind.resource(), newest, listedAt));
    }
    cache.retain(there);
    cache.listed();
    at(listedAt);
    listed.complete(null);
    return new Well();
  }

  private HttpResponse<byte[]> get(String path) throws IOException, InterruptedException {
    return ResponseWait.await(
        http.sendAsync(
            http.newHttpRequestBuilder()
                .uri(server + path)
                .header("Accept", reader.accept())
                .build(),
            byte[].class),
        times.answer(),
        late -> {});
  }

  private Ending watch() throws InterruptedException {
    Duration lasting = times.lasting();
    long began = System.nanoTime();
    try (WatchStream stream =
        WatchStream.open(
            http, server + kind.watch(version, lasting), reader.accept(), times.answer())) {
      if (stream.code() != HttpURLConnection.HTTP_OK) {
        return refused("watch", stream.code(), stream.contentType(), stream.errorBody());
      }
      watchStatus.seen();
      return follow(stream, began + lasting.plus(times.overdue()).toNanos());
    } catch (IOException e) {
      return failed("watch", WatchFailure.NO_ANSWER, String.valueOf(e.getMessage()));
    }
  }

  private Ending follow(WatchStream stream, long deadline)
      throws IOException, InterruptedException {
    ObjectFormat<T> format = reader.format(stream.contentType());
    WatchFrames frames = format.frames();
    long began = System.nanoTime();
    boolean moved = false;
    while (true) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      switch (stream.next(frames, left)) {
        case WatchStream.Frame frame -> {
          Optional<Ending> ending = take(format, frame.bytes(), moved);
          if (ending.isPresent()) {
            return ending.get();
          }
          moved = true;
          failures = 0;
        }
        case WatchStream.Silence() -> {
          return failed(
              "watch",
              WatchFailure.SILENT,
              "the connection is dead: it sent neither data nor the end of the watch");
        }
        case WatchStream.Ended(Optional<Throwable> failure) -> {
          boolean lasted = System.nanoTime() - began > times.longestPause().toNanos();
          if (lasted) {
            failures = 0;
          }
          if (failure.isPresent()) {
            String why = "the connection broke: " + ResponseWait.reason(failure.get());
            return failed("watch", WatchFailure.NO_ANSWER, why);
          }
          return moved || lasted
              ? new Well()
              : failed("watch", WatchFailure.NO_ANSWER, "the watch ended immediately");
        }
      }
    }
  }

  /** Processes one event; returns the watch's result if the event ends it. */
  private Optional<Ending> take(ObjectFormat<T> format, byte[] frame, boolean moved)
      throws IOException {
    ObjectFormat.Event<T> event;
    try {
      event = format.event(frame);
    } catch (RuntimeException e) {
      unreadable(ResponseWait.reason(e));
      return Optional.empty();
    }
    watchStatus.seen();
    switch (event) {
      case ObjectFormat.Put<T>(T object) -> {
        cache.put(object);
        at(object.getMetadata().getResourceVersion());
      }
      case ObjectFormat.Gone<T>(T object) -> {
        cache.remove(object);
        at(object.getMetadata().getResourceVersion());
      }
      case ObjectFormat.Bookmark<T>(String reached) -> at(reached);
      case ObjectFormat.Unreadable<T>(T stub, String why) -> {
        unreadable(stub, why);
        at(stub.getMetadata().getResourceVersion());
      }
      case ObjectFormat.Failed<T>(int code, String message) -> {
        return Optional.of(
            code == HttpURLConnection.HTTP_GONE
                ? new Expired(!moved)
                : failed("watch", String.valueOf(code), message));
      }
    }
    return Optional.empty();
  }

  /** Records the version that is known now, from which the next watch continues. */
  private void at(String reached) {
    version = reached;
    newest = ResourceVersions.later(reached, newest);
  }

  private Ending refused(String verb, int code, @Nullable String contentType, byte[] body) {
    return code == HttpURLConnection.HTTP_GONE
        ? new Expired(true)
        : failed(verb, String.valueOf(code), reader.refusal(code, contentType, body));
  }

  private Failed failed(String verb, String reason, String message) {
    return new Failed(new WatchFailure(verb, kind.resource(), reason, message));
  }

  /** Keeps the previous state of an object that cannot be parsed; returns its key. */
  private String unreadable(T stub, String why) {
    String name = KindCache.key(stub.getMetadata().getNamespace(), stub.getMetadata().getName());
    log.line("not parsed", "%s %s cannot be parsed: %s".formatted(kind.resource(), name, why))
        .ifPresent(LogKeys.object(stub).warn(LOG));
    return cache.putUnreadable(stub, why);
  }

  private void unreadable(String why) {
    log.line(
            "not parsed at all",
            "An object of %s cannot be parsed and keeps its previous state: %s"
                .formatted(kind.resource(), why))
        .ifPresent(LOG::warn);
  }

  private static @Nullable String contentType(HttpResponse<byte[]> response) {
    return response.header("Content-Type");
  }

  private static byte[] bytes(HttpResponse<byte[]> response) {
    return response.body() == null ? new byte[0] : response.body();
  }
}
