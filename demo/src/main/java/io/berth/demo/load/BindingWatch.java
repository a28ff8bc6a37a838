package io.berth.demo.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records when each pod of a namespace is first observed as bound. It watches only bound pods and
 * reads only their UIDs, to take as little CPU time as possible from the scheduler being measured.
 * An API server with little CPU time ends watches that it cannot serve fast enough. The watch is
 * then reopened, which begins with all bound pods.
 */
public final class BindingWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BindingWatch.class);
  private static final Duration LONGEST = Duration.ofMinutes(30);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final KubernetesClient client;
  private final String path;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<String> bound = new HashSet<>();
  private final List<Instant> times = new ArrayList<>();
  private InputStream stream;
  private @Nullable IOException broken;
  private boolean closed;

  /**
   * Starts the watch. No pod may be bound yet.
   *
   * @throws IOException if the pods cannot be watched
   */
  public BindingWatch(KubernetesClient client, String namespace, InstantSource clock)
      throws IOException, InterruptedException {
    this.client = client;
    this.path =
        "api/v1/namespaces/%s/pods?watch=true&timeoutSeconds=%d&fieldSelector=%s"
            .formatted(
                namespace,
                LONGEST.toSeconds(),
                URLEncoder.encode("spec.nodeName!=", StandardCharsets.UTF_8));
    this.clock = clock;
    this.stream = open();
    Thread.ofPlatform().name("binding-watch").daemon().start(this::follow);
  }

  private InputStream open() throws IOException, InterruptedException {
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(client.getMasterUrl() + path)
            .header("Accept", "application/json")
            .forStreaming()
            .build();
    CompletableFuture<HttpResponse<InputStream>> answer =
        client.getHttpClient().sendAsync(request, InputStream.class);
    try {
      HttpResponse<InputStream> response = answer.get();
      if (response.code() != HttpURLConnection.HTTP_OK) {
        response.body().close();
        throw new IOException("pods cannot be watched: HTTP " + response.code());
      }
      return response.body();
    } catch (ExecutionException e) {
      throw new IOException("pods cannot be watched: " + e.getCause(), e.getCause());
    }
  }

  /**
   * Waits until a number of pods are bound.
   *
   * @return the times at which pods were observed as bound, ascending; fewer than {@code pods} if
   *     {@code patience} expired
   * @throws IOException if {@code patience} expired while the watch was broken
   */
  public List<Instant> await(int pods, Duration patience) throws IOException, InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (times.size() < pods && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (times.size() < pods && broken != null) {
        throw broken;
      }
      return List.copyOf(times);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    InputStream last;
    lock.lock();
    try {
      closed = true;
      last = stream;
    } finally {
      lock.unlock();
    }
    last.close();
  }

  /** Reads the watch until this object is closed, and reopens it each time it ends. */
  private void follow() {
    InputStream open = stream;
    while (true) {
      IOException end = new IOException("the API server ended the watch");
      try {
        read(open);
      } catch (IOException e) {
        end = e;
      }
      if (stops(end)) {
        return;
      }
      LOG.info("Reopening the watch for bound pods: {}", end.getMessage());
      try {
        Thread.sleep(PAUSE);
        open = open();
        if (!use(open)) {
          open.close();
          return;
        }
      } catch (IOException e) {
        open = InputStream.nullInputStream();
        LOG.info("The watch for bound pods could not be opened: {}", e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private boolean stops(IOException end) {
    lock.lock();
    try {
      broken = end;
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Switches to an open watch; returns false if this object has been closed. */
  private boolean use(InputStream open) {
    lock.lock();
    try {
      broken = null;
      stream = open;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Reads a stream of JSON objects: {@code {"type": "ADDED", "object": {"metadata": ...}}}. */
  private void read(InputStream open) throws IOException {
    try (JsonParser json = new JsonFactory().createParser(open)) {
      while (json.nextToken() == JsonToken.START_OBJECT) {
        String uid = uid(json);
        if (!uid.isEmpty()) {
          see(uid);
        }
      }
    }
  }

  private static String uid(JsonParser json) throws IOException {
    String uid = "";
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      if (json.nextToken() == JsonToken.START_OBJECT
          && (field.equals("object") || field.equals("metadata"))) {
        uid = uid(json);
      } else if (field.equals("uid") && uid.isEmpty()) {
        uid = json.getValueAsString("");
      } else {
        json.skipChildren();
      }
    }
    return uid;
  }

  private void see(String uid) {
    lock.lock();
    try {
      if (bound.add(uid)) {
        times.add(clock.instant());
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
