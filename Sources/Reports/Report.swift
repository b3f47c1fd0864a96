import Dissection
