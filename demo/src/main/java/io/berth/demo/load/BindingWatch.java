package io.berth.demo.load;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.berth.operator.protobuf.Bytes;
import io.berth.operator.protobuf.Envelope;
import io.berth.operator.protobuf.StatusMessage;
import io.berth.operator.protobuf.WatchEventMessage;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
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
 * Records when each pod of a namespace is first observed as bound. It watches only bound pods, in
 * the encoding that the API server sends to schedulers anyway, and reads only their UIDs, to take
 * as little CPU time as possible from the scheduler being measured. An API server with little CPU
 * time ends watches that it cannot serve fast enough. The watch is then reopened, which begins with
 * all bound pods.
 */
public final class BindingWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BindingWatch.class);
  private static final Duration LONGEST = Duration.ofMinutes(30);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int POD_METADATA = 1;
  private static final int METADATA_UID = 5;

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
            .header("Accept", Envelope.MEDIA_TYPE)
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
      IOException end = endOf(open);
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

  /** Reads a stream of events, each of which follows its length; returns why it has ended. */
  private IOException endOf(InputStream open) {
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(open, BUFFER_BYTES))) {
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        WatchEventMessage event = WatchEventMessage.read(frame);
        if (event.type().equals("ERROR")) {
          throw new IOException(StatusMessage.read(event.object()).message());
        }
        see(uid(event.object()));
      }
    } catch (EOFException e) {
      return new IOException("the API server ended the watch", e);
    } catch (IOException e) {
      return e;
    }
  }

  private static String uid(Bytes pod) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(pod.array(), pod.from(), pod.length());
    enter(in, POD_METADATA);
    in.pushLimit(in.readRawVarint32());
    enter(in, METADATA_UID);
    return in.readString();
  }

  /** Skips fields until the one with this number, which is a message or a text. */
  private static void enter(CodedInputStream in, int field) throws IOException {
    int wanted = field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    for (int tag = in.readTag(); tag != wanted; tag = in.readTag()) {
      if (tag == 0) {
        throw new IOException("a bound pod has no UID");
      }
      in.skipField(tag);
    }
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
