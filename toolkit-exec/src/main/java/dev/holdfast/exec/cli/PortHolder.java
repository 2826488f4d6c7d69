package dev.holdfast.exec.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;

/** Main of the demo's port holder: listens on a free loopback port and says which. */
final class PortHolder {
  static final String SAYS = "listening ";

  private PortHolder() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      System.out.println(SAYS + socket.getLocalPort());
      Thread.sleep(Duration.ofMinutes(10));
    }
  }

  /** Whether nobody holds the port any more. */
  static boolean isFree(int port) throws IOException {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(false);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (java.net.BindException e) {
      return false;
    }
  }
}
