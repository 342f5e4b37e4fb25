"""Fetches the document of a service that is starting: its address, and the file to write."""

import sys
import time
import urllib.request

url, path = sys.argv[1:]
for attempt in range(100):
    try:
        urllib.request.urlopen(url + "/ready", timeout=5)
        break
    except OSError:
        time.sleep(0.1)
urllib.request.urlretrieve(url + "/openapi.json", path)
