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
 * Notes when each pod of a namespace is seen bound for the first time. It asks the API server for
 * bound pods alone and reads no more of them than their UID, so as to take as little as can be of
 * the processor that is measured. An API server that has little processor time ends watches that it
 * cannot serve fast enough; then the watch is opened again, and the API server names all bound pods
 * first.
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
   * Watches from now on; nothing may be bound yet.
   *
   * @throws IOException when the API server does not let pods be watched
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
   * Waits until so many pods are bound.
   *
   * @return the times at which pods were seen bound, ascending; fewer than asked for if {@code
   *     patience} ran out
   * @throws IOException when {@code patience} ran out while pods could not be watched
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

  /** Reads the watch until it is closed, and opens it again each time that it ends. */
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
      LOG.info("The watch for bound pods is opened again: {}", end.getMessage());
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

  /** Takes an open watch; false when nobody waits for it any more. */
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

  /** One JSON object after the other: {@code {"type": "ADDED", "object": {"metadata": ...}}}. */
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
