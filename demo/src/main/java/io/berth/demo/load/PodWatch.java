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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch of the pods of a namespace, in the encoding that the API server sends to schedulers
 * anyway, of which only a few fields are read, to take as little CPU time as possible from the
 * scheduler being measured. An API server with little CPU time ends watches that it cannot serve
 * fast enough. The watch is then reopened, which begins with all pods.
 */
final class PodWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PodWatch.class);
  private static final Duration LONGEST = Duration.ofMinutes(30);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int POD_METADATA = 1;
  private static final int POD_SPEC = 2;
  private static final int METADATA_NAME = 1;
  private static final int METADATA_UID = 5;
  private static final int SPEC_NODE_NAME = 10;

  private final KubernetesClient client;
  private final String path;
  private final Observer observer;
  private final ReentrantLock lock = new ReentrantLock();
  private InputStream stream;
  private @Nullable IOException broken;
  private boolean closed;

  /** The receiver of what is observed, on the thread of the watch. */
  interface Observer {

    /**
     * A pod was created or changed, or existed when the watch was opened or reopened.
     *
     * @param nodeName the node of the pod; empty if it has none
     */
    void seen(String name, String uid, String nodeName);

    /** The watch ended, and is opened again. */
    default void interrupted() {}
  }

  /**
   * Starts a watch.
   *
   * @param fieldSelector selects the pods; empty for all
   * @throws IOException if the pods cannot be watched
   */
  PodWatch(KubernetesClient client, String namespace, String fieldSelector, Observer observer)
      throws IOException, InterruptedException {
    this.client = client;
    this.path =
        "api/v1/namespaces/%s/pods?watch=true&timeoutSeconds=%d&fieldSelector=%s"
            .formatted(
                namespace,
                LONGEST.toSeconds(),
                URLEncoder.encode(fieldSelector, StandardCharsets.UTF_8));
    this.observer = observer;
    this.stream = open();
    Thread.ofPlatform().name("pod-watch").daemon().start(this::follow);
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

  /** Returns why the watch is not open at the moment. */
  Optional<IOException> problem() {
    lock.lock();
    try {
      return Optional.ofNullable(broken);
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
      LOG.info("Reopening the watch of pods: {}", end.getMessage());
      observer.interrupted();
      try {
        Thread.sleep(PAUSE);
        open = open();
        if (!use(open)) {
          open.close();
          return;
        }
      } catch (IOException e) {
        open = InputStream.nullInputStream();
        LOG.info("The watch of pods could not be opened: {}", e.getMessage());
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
        if (!event.type().equals("DELETED")) {
          read(event.object());
        }
      }
    } catch (EOFException e) {
      return new IOException("the API server ended the watch", e);
    } catch (IOException e) {
      return e;
    }
  }

  private void read(Bytes pod) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(pod.array(), pod.from(), pod.length());
    String name = "";
    String uid = "";
    String nodeName = "";
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == tagOf(POD_METADATA)) {
        int end = in.pushLimit(in.readRawVarint32());
        for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
          if (inner == tagOf(METADATA_NAME)) {
            name = in.readString();
          } else if (inner == tagOf(METADATA_UID)) {
            uid = in.readString();
          } else {
            in.skipField(inner);
          }
        }
        in.popLimit(end);
      } else if (tag == tagOf(POD_SPEC)) {
        int end = in.pushLimit(in.readRawVarint32());
        for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
          if (inner == tagOf(SPEC_NODE_NAME)) {
            nodeName = in.readString();
          } else {
            in.skipField(inner);
          }
        }
        in.popLimit(end);
      } else {
        in.skipField(tag);
      }
    }
    if (uid.isEmpty()) {
      throw new IOException("a pod has no UID");
    }
    observer.seen(name, uid, nodeName);
  }

  /** Returns the tag of a field that is a message or a text. */
  private static int tagOf(int field) {
    return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }
}
