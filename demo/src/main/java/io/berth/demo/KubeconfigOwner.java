package io.berth.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right of a process to write a kubeconfig. Without it, a second cluster would
 * overwrite the file, and kubectl commands would silently go to the other cluster.
 *
 * <p>The lock is held on a lock file next to the kubeconfig. The lock file is not removed, but the
 * operating system releases the lock when the process ends for any reason.
 */
final class KubeconfigOwner implements AutoCloseable {

  private final FileChannel channel;

  private KubeconfigOwner(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Thrown if another process owns the kubeconfig. The message names the process and the remedy.
   */
  static final class OwnedException extends IOException {
    private static final long serialVersionUID = 1L;

    OwnedException(Path kubeconfig, String owner) {
      super(
          kubeconfig
              + " is in use by another make run"
              + (owner.isEmpty() ? "" : " (process " + owner + ")")
              + ": stop it first, or choose another file with make run OUT=FILE");
    }
  }

  /**
   * Acquires a kubeconfig and creates its folder.
   *
   * @throws OwnedException if another process owns it
   */
  static KubeconfigOwner take(Path kubeconfig) throws IOException {
    Path folder = kubeconfig.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path lockFile = kubeconfig.resolveSibling(kubeconfig.getFileName() + ".lock");
    FileChannel channel =
        FileChannel.open(
            lockFile, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    if (lock(channel) == null) {
      channel.close();
      throw new OwnedException(kubeconfig, Files.readString(lockFile).strip());
    }
    channel.truncate(0);
    channel.write(
        ByteBuffer.wrap(
            String.valueOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
    return new KubeconfigOwner(channel);
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
